/// The rules by which a registry takes a new version of a targets role that somebody uploads, before clients see it.
///
/// A registry that took less would publish what every client then refuses, and stop the app's updates for everybody.
public struct RoleSuccession: Sendable {
    private let old: SignedDocument<TargetsMetadata>?
    private let authority: RoleAuthority
    private let delegation: DelegatedRole?

    /// - Parameters:
    ///   - old: The present version; nil for the first.
    ///   - delegation: Whose paths the role must keep to; nil for the top-level role.
    public init(
        replacing old: SignedDocument<TargetsMetadata>?, authority: RoleAuthority, delegation: DelegatedRole? = nil
    ) {
        self.old = old
        self.authority = authority
        self.delegation = delegation
    }

    /// What a new version does to the targets that the role lists.
    public struct Changes: Sendable, Equatable {
        public var added: [String] = []
        /// Listed before with another content.
        public var replaced: [String] = []
        /// No longer listed: withdrawn.
        public var removed: [String] = []
    }

    /// Accepts the new version: signed by the threshold, version one up (1 for the first), and no path that the
    /// delegation does not cover.
    /// - Returns: What changes, so that the caller can ask for what it allows: nothing silently dropped or replaced.
    /// - Throws: ``TrustError/threshold(role:valid:needed:)``, ``TrustError/wrongVersion(role:found:wanted:)``,
    ///   ``TrustError/refusedChange(role:reason:)``
    @discardableResult
    public func check(_ new: SignedDocument<TargetsMetadata>) throws(TrustError) -> Changes {
        try new.verify(by: authority)
        let version = new.body.version
        let wanted = (old?.body.version ?? 0) + 1
        guard version == wanted else { throw .wrongVersion(role: authority.role, found: version, wanted: wanted) }
        if let delegation, let outside = new.body.targets.names.first(where: { !delegation.covers($0) }) {
            throw .refusedChange(role: authority.role, reason: "it may not speak for \(outside)")
        }
        var changes = Changes()
        for entry in new.body.targets.entries {
            switch old?.body.targets[entry.name] {
            case nil: changes.added.append(entry.name)
            case let before? where before != entry.value: changes.replaced.append(entry.name)
            default: break
            }
        }
        changes.removed = old?.body.targets.names.filter { new.body.targets[$0] == nil } ?? []
        return changes
    }
}
