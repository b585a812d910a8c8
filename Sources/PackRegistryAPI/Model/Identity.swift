package import Foundation
package import PackFormat

/// Who acts on a registry, and with which rights.
package struct Identity: Hashable, Sendable {
    /// A token's name and id, `local:USER` for a registry that is opened in place, or `system:NAME` for the registry itself.
    package let name: String
    package let scope: TokenScope
    /// When the token expires; nil for one that does not, and for whoever has none.
    package let expires: Date?
    /// Whether it is a CI job, whose token was made of an id token. A job can have any number of them.
    package let isJob: Bool

    package init(name: String, scope: TokenScope, expires: Date? = nil, isJob: Bool = false) {
        self.name = name
        self.scope = scope
        self.expires = expires
        self.isJob = isJob
    }

    /// Somebody without a token, who may read and nothing else.
    package static let anonymous = Identity(name: "anonymous", scope: TokenScope(actions: []))

    /// A person who can write to the registry's folder, and may therefore do everything that a registry can do.
    package static func local(user: String) -> Identity {
        Identity(name: "local:\(user)", scope: TokenScope(actions: [.admin]))
    }

    /// The registry itself, such as `system:renewal`, for actions that nobody requested.
    package static func system(_ name: String) -> Identity {
        Identity(name: "system:\(name)", scope: TokenScope(actions: [.admin]))
    }

    /// The name of a token's holder. Names of tokens may repeat, and the log is to say which token it was.
    package static func name(of token: TokenRecord) -> String { "\(token.name) (\(token.id))" }

    /// The prefixes that no token's name may have, and who has them in the log.
    package static let reservedPrefixes = [
        "local:": "people who open the registry in place", "system:": "the registry itself",
    ]

    /// For what touches every package of a channel: a right for some of them is not enough.
    /// - Throws: ``RegistryError`` of the kind `.forbidden`.
    package func requireAllPackages(_ action: TokenAction, channel: ChannelName) throws(RegistryError) {
        try require(action, channel: channel)
        guard scope.packages != nil else { return }
        throw RegistryError(
            .forbidden,
            "\(name) has the right to \(action.rawValue) some packages only, and this is for all of the channel \(channel): ask "
                + "for a token without --package")
    }

    /// - Throws: ``RegistryError`` of the kind `.forbidden` that names the missing right.
    package func require(
        _ action: TokenAction, package: PackageID? = nil, channel: ChannelName? = nil
    ) throws(RegistryError) {
        guard !scope.allows(action, package: package, channel: channel) else { return }
        let place = [package.map { " for the package \($0)" }, channel.map { " on the channel \($0)" }]
        throw RegistryError(
            .forbidden,
            "\(name) has no right to \(action.rawValue)\(place.compactMap(\.self).joined()): ask for a token that has it"
        )
    }
}
