import PackFormat
import PackRegistryAPI

/// Renews signatures that expire soon (``RenewalRule``).
package struct SignatureRenewal: RegistryChange {
    package init() {}

    package var query: FactsQuery { FactsQuery() }

    /// - Returns: The roles that were due.
    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> [String] {
        let due = try RenewalRule.dueRoles(facts, now: changes.time)
        guard !due.isEmpty else { return [] }
        changes.signs = true
        changes.signsChannels = due.contains(ViewLayout.channelsRole)
        changes.log("renew", due.joined(separator: ", "))
        return due
    }
}
