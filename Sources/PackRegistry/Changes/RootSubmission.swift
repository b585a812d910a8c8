import PackFormat
import PackRegistryAPI
import PackTrust

/// A newer root, signed by the root's keys. The registry refuses it if devices would refuse it.
package struct RootSubmission: RegistryChange {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var query: FactsQuery { FactsQuery() }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
        let role = TopLevelRole.root.rawValue
        let document: SignedDocument<RootMetadata> = try SubmittedRole.parse(bytes, role)
        let current: SignedDocument<RootMetadata> = try facts.required(role)
        try SubmittedRole.checkVersion(document.body.version, current.body.version + 1, role)
        do {
            var trusted = try TrustedMetadata(trustedRoot: current.bytes, time: changes.time)
            try trusted.updateRoot(document.bytes)
            try trusted.checkRoot()
            let targets: SignedDocument<TargetsMetadata> = try facts.required(TopLevelRole.targets.rawValue)
            try targets.verify(by: document.body.authority(for: .targets))
        } catch let error as TrustError {
            throw RegistryError(.forbidden, "the new root is refused: \(error)")
        }
        guard document.body.consistentSnapshot else {
            throw RegistryError(.invalid, "the new root turns off consistent snapshots, which this registry needs")
        }
        changes.put(document, as: role)
        changes.log("metadata", role, "SHA-256 \(Digest(of: bytes))")
        changes.signs = true
    }
}
