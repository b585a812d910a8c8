extension RootMetadata {
    /// Sets the keys and threshold of a top-level role. Keys that no role uses any more are removed from the
    /// document.
    ///
    /// The next root must be signed by the threshold of this root's old root keys *and* of its new ones (§5.3.4).
    public mutating func setKeys(_ newKeys: [PublicKey], threshold: Int = 1, for role: TopLevelRole) {
        for key in newKeys { keys[key.id] = key }
        var roleKeys = RoleKeys(newKeys, threshold: threshold)
        roleKeys.extra = self.roleKeys(role).extra
        roles[role.rawValue] = roleKeys
        let used = roles.values.flatMap(\.keyIDs)
        for id in keys.names where !used.contains(where: { $0.isExactly(id) }) { keys[id] = nil }
    }

    /// The keys of a top-level role.
    public func keys(of role: TopLevelRole) -> [PublicKey] {
        roleKeys(role).keyIDs.compactMap { keys[$0] }
    }
}
