/// The rules by which a registry accepts an uploaded new version of a targets role, before clients see it.
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

    /// The changes of a new version to the targets that the role lists.
    public struct Changes: Sendable, Equatable {
        public var added: [String] = []
        /// The paths that were listed before with another content.
        public var replaced: [String] = []
        /// The paths that are no longer listed: withdrawn.
        public var removed: [String] = []
    }

    /// Accepts the new version if the threshold has signed it, its version is one higher (1 for the first), and the
    /// delegation covers every path.
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
