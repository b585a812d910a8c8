package import PackTrust

/// The keys that a person or a CI job has. None of them is ever sent to a registry.
package struct SigningKeys: Sendable {
    /// The signers for packages' roles.
    package let publisher: [any Signer]
    /// The signers for targets, which say which key may publish which package. Empty if the owner's key is elsewhere.
    package let owner: [any Signer]

    package init(publisher: [any Signer], owner: [any Signer] = []) {
        self.publisher = publisher
        self.owner = owner
    }
}
