package import PackFormat

/// Who acts on a registry, and how far the right reaches.
package struct Identity: Hashable, Sendable {
    /// A token's name and id, `local:USER` for a registry that is opened in place, or `system:NAME` for the registry itself.
    package let name: String
    package let scope: TokenScope

    package init(name: String, scope: TokenScope) {
        self.name = name
        self.scope = scope
    }

    /// Somebody without a token: may read, and nothing else.
    package static let anonymous = Identity(name: "anonymous", scope: TokenScope(actions: []))

    /// Whoever can write the registry's folder may do everything that a registry can do.
    package static func local(user: String) -> Identity {
        Identity(name: "local:\(user)", scope: TokenScope(actions: [.admin]))
    }

    /// The registry itself, such as `system:renewal`: what it does without anybody asking.
    package static func system(_ name: String) -> Identity {
        Identity(name: "system:\(name)", scope: TokenScope(actions: [.admin]))
    }

    /// What no token's name may begin with, and who has it in the log.
    package static let reservedPrefixes = [
        "local:": "people who open the registry in place", "system:": "the registry itself",
    ]

    /// - Throws: ``RegistryError`` of the kind `.forbidden` that names what is missing.
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
