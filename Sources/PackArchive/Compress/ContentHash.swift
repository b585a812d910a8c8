import Crypto
import PackFormat

/// Computes the SHA-256 of bytes as they pass.
struct ContentHash {
    private var hash = SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    func finish() -> PackFormat.Digest {
        PackFormat.Digest(hash.finalize())
    }
}
