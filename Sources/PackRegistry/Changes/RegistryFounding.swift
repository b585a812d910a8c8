import PackRegistryAPI
package import PackTrust

/// The first documents of a registry, signed by its app's owner. The registry adds its own signed documents.
package struct RegistryFounding: RegistryChange {
    private let root: SignedDocument<RootMetadata>
    private let targets: SignedDocument<TargetsMetadata>

    package init(root: SignedDocument<RootMetadata>, targets: SignedDocument<TargetsMetadata>) {
        self.root = root
        self.targets = targets
    }

    package var query: FactsQuery { FactsQuery() }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        guard facts.roleVersions.isEmpty else { throw RegistryError(.conflict, "there is a registry already") }
        changes.put(root, as: TopLevelRole.root.rawValue)
        changes.put(targets, as: TopLevelRole.targets.rawValue)
        changes.log("create", "registry", "app \(facts.app)")
        changes.signs = true
        changes.signsChannels = true
    }
}
