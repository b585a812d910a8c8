/// The bytes of one file, named by their SHA-256.
public struct Object: Hashable, Sendable {
    public let digest: Digest
    /// The size in bytes.
    public let size: Int

    public init(digest: Digest, size: Int) {
        self.digest = digest
        self.size = size
    }
}
