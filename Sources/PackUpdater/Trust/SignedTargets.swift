package import PackFormat

/// What the signed metadata says about one file.
package struct SignedFile: Hashable, Sendable {
    package let digest: Digest
    /// Bytes.
    package let size: Int

    package init(digest: Digest, size: Int) {
        self.digest = digest
        self.size = size
    }
}

/// The app's signed targets, as the updater uses them: its trust is one seam, so that its own rules can be tested
/// without keys. In a device it is a TUF client (``TrustedTargets``).
package protocol SignedTargets: Sendable {
    /// Brings the metadata up to date and verifies it whole.
    func refresh() async throws
    /// What is signed under a path of `ViewLayout`; nil where nobody who may sign it lists it.
    func file(_ path: String) async throws -> SignedFile?
    /// The names of all channels, for a message; by the last refresh.
    func channelNames() async -> [String]
    /// The verified bytes of a target.
    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8]
}
