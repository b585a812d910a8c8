package import PackFormat
import PackRegistryAPI

/// A package's newer role that lists the same manifests: a rotation of its keys, or a later expiry.
package struct RoleSubmission: RegistryChange {
    private let bytes: [UInt8]
    private let package: PackageID

    package init(_ bytes: [UInt8], of package: PackageID) {
        self.bytes = bytes
        self.package = package
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.roles = [ViewLayout.role(of: package)]
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        let policy = try RoleUpdatePolicy(package, facts, now: changes.time)
        guard policy.current != nil else {
            throw RegistryError(.invalid, "\(package) has no version yet: publish its first version first")
        }
        let role = ViewLayout.role(of: package)
        changes.put(try policy.judge(bytes, change: .nothing), as: role)
        changes.log("metadata", role, "SHA-256 \(Digest(of: bytes))")
        changes.signs = true
    }
}
