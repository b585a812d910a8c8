package import PackTrust

/// The keys that a person or a CI job has at hand; none of them is ever given to a registry.
package struct SigningKeys: Sendable {
    /// Sign packages' roles.
    package let publisher: [any Signer]
    /// Sign targets: which key may publish which package. Empty where the owner's key is elsewhere.
    package let owner: [any Signer]

    package init(publisher: [any Signer], owner: [any Signer] = []) {
        self.publisher = publisher
        self.owner = owner
    }
}
