package import Foundation
package import PackFormat

/// An action that a token may allow.
package enum TokenAction: String, Hashable, Sendable, CaseIterable {
    /// Upload and publish versions of the packages in scope.
    case publish
    /// Change what the channels in scope offer for the packages in scope.
    case release
    /// Read what devices reported.
    case observe
    /// Everything, including tokens and keys.
    case admin
}

/// The rights of a token. All three parts must admit a request.
package struct TokenScope: Hashable, Sendable {
    package let actions: Set<TokenAction>
    /// Nil: every package.
    package let packages: Set<PackageID>?
    /// Nil: every channel.
    package let channels: Set<ChannelName>?

    package init(actions: Set<TokenAction>, packages: Set<PackageID>? = nil, channels: Set<ChannelName>? = nil) {
        self.actions = actions
        self.packages = packages
        self.channels = channels
    }

    package func allows(_ action: TokenAction, package: PackageID? = nil, channel: ChannelName? = nil) -> Bool {
        guard actions.contains(action) || actions.contains(.admin) else { return false }
        if let package, let packages, !packages.contains(package) { return false }
        if let channel, let channels, !channels.contains(channel) { return false }
        if action == .admin, packages != nil || channels != nil { return false }
        return true
    }
}

package struct TokenRequest: Hashable, Sendable {
    /// The name of the token's holder, for the audit log.
    package let name: String
    package let scope: TokenScope
    /// Nil: the token does not expire.
    package let expires: Date?

    package init(name: String, scope: TokenScope, expires: Date?) {
        self.name = name
        self.scope = scope
        self.expires = expires
    }
}

package struct TokenRecord: Hashable, Sendable {
    package let id: String
    package let name: String
    package let scope: TokenScope
    package let created: Date
    package let expires: Date?
    package let revoked: Date?
    /// Nobody has the text of this one: it stands for jobs, which get tokens of its scope.
    package let trust: TokenTrust?
    /// The id of the trust that it was made of for a job.
    package let parent: String?

    package init(
        id: String, name: String, scope: TokenScope, created: Date, expires: Date?, revoked: Date?,
        trust: TokenTrust? = nil, parent: String? = nil
    ) {
        self.id = id
        self.name = name
        self.scope = scope
        self.created = created
        self.expires = expires
        self.revoked = revoked
        self.trust = trust
        self.parent = parent
    }

    /// Whether its time is over; one that is revoked may not be.
    package func isExpired(at time: Date) -> Bool { expires.map { $0 <= time } ?? false }

    /// The same token, revoked.
    package func revoked(at time: Date) -> TokenRecord {
        TokenRecord(
            id: id, name: name, scope: scope, created: created, expires: expires, revoked: time, trust: trust,
            parent: parent)
    }
}

package struct CreatedToken: Hashable, Sendable {
    package let record: TokenRecord
    /// The token's text, `ptk_…`: shown once, never stored.
    package let secret: String

    package init(record: TokenRecord, secret: String) {
        self.record = record
        self.secret = secret
    }
}

package struct AuditEntry: Hashable, Sendable {
    package let time: Date
    /// A token's name and id, or `local:USER` for a registry opened in place.
    package let actor: String
    package let action: String
    package let subject: String
    package let detail: String

    package init(time: Date, actor: String, action: String, subject: String, detail: String) {
        self.time = time
        self.actor = actor
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}
