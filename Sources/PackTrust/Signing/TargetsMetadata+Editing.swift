extension TargetsMetadata {
    /// Adds a delegation, or replaces the one with the same name in its place. Keys that no delegation uses any more
    /// are removed from the document.
    public mutating func delegate(to role: DelegatedRole, keys: [PublicKey]) {
        var delegations = self.delegations ?? Delegations()
        delegations.delegate(to: role, keys: keys)
        self.delegations = delegations
    }

    /// Makes the delegation for a role from keys and path patterns.
    /// - Throws: ``TrustError/malformed(document:reason:)`` for a name that no delegated role can have.
    public mutating func delegate(
        _ name: String, to keys: [PublicKey], threshold: Int = 1, paths: [String], isTerminating: Bool = false
    ) throws(TrustError) {
        let role = try DelegatedRole(
            name: name, roleKeys: RoleKeys(keys, threshold: threshold), scope: .paths(paths),
            isTerminating: isTerminating)
        delegate(to: role, keys: keys)
    }

    /// Makes this version of a delegated role the lowest one that counts. It never lowers the present limit.
    /// - Throws: ``TrustError/refusedChange(role:reason:)`` for a role that is not delegated.
    public mutating func requireVersion(_ version: Int, of name: String) throws(TrustError) {
        guard let role = delegations?.role(named: name) else {
            throw .refusedChange(role: "targets", reason: "it does not delegate to \(name)")
        }
        var raised = role
        raised.minimumVersion = max(version, role.minimumVersion ?? 1)
        delegations?.delegate(to: raised, keys: [])
    }

    /// Revokes a delegation. What the role has signed is no longer reachable through this document.
    public mutating func revokeDelegation(to name: String) {
        delegations?.revoke(name)
    }
}

extension Delegations {
    mutating func delegate(to role: DelegatedRole, keys newKeys: [PublicKey]) {
        for key in newKeys { keys[key.id] = key }
        if let position = roles.firstIndex(where: { $0.name.isExactly(role.name) }) {
            // Other keys are no reason to believe an older version again.
            let minimum = [roles[position].minimumVersion, role.minimumVersion].compactMap(\.self).max()
            roles[position] = role
            roles[position].minimumVersion = minimum
        } else {
            roles.append(role)
        }
        removeUnusedKeys()
    }

    mutating func revoke(_ name: String) {
        roles.removeAll { $0.name.isExactly(name) }
        removeUnusedKeys()
    }

    private mutating func removeUnusedKeys() {
        let used = roles.flatMap(\.roleKeys.keyIDs)
        for id in keys.names where !used.contains(where: { $0.isExactly(id) }) { keys[id] = nil }
    }
}
