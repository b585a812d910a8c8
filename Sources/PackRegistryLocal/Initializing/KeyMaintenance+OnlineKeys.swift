package import PackPublisher
package import PackTrust

/// Changes of the online key on the machine that has the registry's folder, which contains the key.
extension KeyMaintenance {
    /// Replaces the online key: root names the new one, and the registry signs everything anew.
    package func rotateOnline(
        of local: LocalRegistry, root: [any Signer], owner: [any Signer]
    ) async throws -> PublicKey {
        let new = try Self.add(to: local)
        try await rotateOnline(to: new.publicKey, root: root, owner: owner)
        try OnlineKeys([new]).save(to: local.files)
        return new.publicKey
    }

    /// Makes a new online key, and the root and targets that name it instead of the old one.
    package func proposeOnline(of local: LocalRegistry) async throws -> [KeyProposal] {
        try await proposeOnline(Self.add(to: local).publicKey)
    }

    /// Submits a proposal, and deletes online keys that nothing names any more.
    package func submit(_ proposal: KeyProposal, local: LocalRegistry?) async throws {
        try await submit(proposal)
        guard let local else { return }
        let named = try await onlineKeys()
        let keys = try OnlineKeys.load(from: local.files).keys
        let kept = keys.filter { key in named.contains { $0.id == key.publicKey.id } }
        // The newest may belong to a proposal that is still on its way; then nothing is dropped.
        guard kept.count < keys.count, let newest = keys.last, kept.last?.publicKey.id == newest.publicKey.id else {
            return
        }
        try OnlineKeys(kept).save(to: local.files)
    }

    /// Both keys sign until both documents are there.
    private static func add(to local: LocalRegistry) throws -> PrivateKey {
        let new = try PrivateKey.generate(.ed25519)
        // Without the old one, the new one signs alone.
        let present = local.hasOnlineKey ? try OnlineKeys.load(from: local.files).keys : []
        try OnlineKeys(present + [new]).save(to: local.files)
        return new
    }
}
