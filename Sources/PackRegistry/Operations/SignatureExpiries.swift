import Foundation
import PackFormat
package import PackRegistryAPI
import PackTrust

/// Keeps until when the newest version of each role counts. A role is read again only if it has a newer version: a package's
/// lists all of its versions, and there may be thousands of packages.
package actor SignatureExpiries {
    private var known: [String: HealthDetails.Signature] = [:]

    package init() {}

    /// - Throws: `RegistryError`
    package func read(from store: any RegistryStore) async throws -> [String: HealthDetails.Signature] {
        let newest = try await store.facts(FactsQuery()).roleVersions
        let changed = newest.filter { known[$0.key]?.version != $0.value }.keys
        var found = known.filter { newest[$0.key] != nil }
        if !changed.isEmpty {
            var query = FactsQuery()
            query.roles = Set(changed)
            let facts = try await store.facts(query)
            for role in changed { found[role] = try Self.signature(of: role, facts) }
        }
        known = found
        return found
    }

    private static func signature(
        of role: String, _ facts: RegistryFacts
    ) throws -> HealthDetails.Signature? {
        func read<Body: RoleMetadata>(_ body: Body.Type) throws -> HealthDetails.Signature? {
            try facts.newest(role, as: body).map {
                HealthDetails.Signature(version: $0.body.header.version, expires: $0.body.header.expires)
            }
        }
        return switch TopLevelRole(rawValue: role) {
        case .root: try read(RootMetadata.self)
        case .snapshot: try read(SnapshotMetadata.self)
        case .timestamp: try read(TimestampMetadata.self)
        case .targets, nil: try read(TargetsMetadata.self)
        }
    }
}
