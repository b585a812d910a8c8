import PackRegistryAPI

/// Revokes an access token.
package struct TokenRevocation: RegistryChange {
    private let id: String

    package init(id: String) {
        self.id = id
    }

    package var query: FactsQuery {
        var query = FactsQuery.unsigned
        query.tokens = .all
        return query
    }

    /// - Returns: False if there is no such token, or it was already revoked.
    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> Bool {
        guard facts.tokens.contains(where: { $0.record.id == id && $0.record.revoked == nil }) else { return false }
        changes.tokens.append(.revoke(id: id))
        changes.log("token revoke", id)
        return true
    }
}
