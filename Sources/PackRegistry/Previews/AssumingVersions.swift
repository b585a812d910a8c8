package import PackRegistryAPI
import PackFormat

/// A change that is decided as if some versions were published already. Only for previews: nothing of it is recorded.
package struct AssumingVersions<Change: RegistryChange>: RegistryChange {
    private let change: Change
    private let versions: [AssumedVersion]

    package init(_ versions: [AssumedVersion], for change: Change) {
        self.change = change
        self.versions = versions
    }

    package var query: FactsQuery {
        var query = change.query
        query.versions.formUnion(versions.map { VersionName($0.package, $0.version) })
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> Change.Outcome {
        var facts = facts
        for version in versions {
            let name = VersionName(version.package, version.version)
            if let known = facts.versions[name] {
                guard known.manifest == version.manifest else {
                    throw RegistryError(
                        .conflict,
                        "\(version.package) \(version.version) is published already with other content: a version never "
                            + "changes, so give yours a new version number")
                }
                // Files that were removed come back with the publication.
                facts.versions[name] = known.restored
                continue
            }
            facts.versions[name] = PublishedVersion(
                package: version.package, version: version.version, manifest: version.manifest,
                hasEntry: version.hasEntry, requiredApp: version.requiredApp, state: version.state)
        }
        return try change.decide(facts, into: &changes)
    }
}
