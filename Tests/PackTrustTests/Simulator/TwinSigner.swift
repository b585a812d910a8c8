import PackTrust

/// Signs with a key under another of its ids.
struct TwinSigner: Signer {
    let publicKey: PublicKey
    let key: PrivateKey

    func sign(_ message: [UInt8]) throws -> [UInt8] { try key.sign(message) }
}

extension TrustFixture {
    /// Serves hand-made targets bytes, with a snapshot and a timestamp that name them.
    func serve(targets bytes: [UInt8], version: Int) throws {
        repository.files["metadata/\(version).targets.json"] = bytes
        repository.snapshot[role: "targets"] = MetaFile(
            version: version, length: bytes.count, hashes: FileHashes(of: bytes))
        try repository.publishSnapshot()
    }
}
