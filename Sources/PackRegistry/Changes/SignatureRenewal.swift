import PackFormat
import PackRegistryAPI

/// Renews signatures that expire soon.
package struct SignatureRenewal: RegistryChange {
    package init() {}

    package var query: FactsQuery { FactsQuery() }

    /// - Returns: The roles that were due.
    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> [String] {
        let due = try MetadataSigner.dueRoles(facts, now: changes.time)
        guard !due.isEmpty else { return [] }
        changes.signs = true
        changes.signsChannels = due.contains(ViewLayout.channelsRole)
        changes.log("renew", due.joined(separator: ", "))
        return due
    }
}
