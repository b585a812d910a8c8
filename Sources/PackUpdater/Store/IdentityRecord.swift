import Foundation
import PackFormat

/// The identities that a version's objects had when they were verified: `verified/PACKAGE@VERSION` in the store.
///
/// 40 bytes an object, in the order of their digests, and a digest of it all at the end. It is nothing but a saving: one
/// that is torn, or of another manifest, is none, and then every object is read.
struct IdentityRecord: Equatable {
    private let bytes: [UInt8]
    private let count: Int

    /// Knows nothing.
    static let empty = IdentityRecord(bytes: [], count: 0)

    private init(bytes: [UInt8], count: Int) {
        self.bytes = bytes
        self.count = count
    }

    init(_ identities: [Digest: FileIdentity], of manifest: Digest) {
        var bytes = Self.magic + manifest.bytes
        bytes.reserveCapacity(Self.header + identities.count * Self.stride + 32)
        for (digest, identity) in identities.sorted(by: { $0.key < $1.key }) {
            for word in [
                digest.words.0, identity.inode, UInt64(bitPattern: identity.size),
                UInt64(bitPattern: identity.modified), UInt64(bitPattern: identity.changed),
            ] {
                withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
            }
        }
        self.bytes = bytes + Digest(of: bytes).bytes
        count = identities.count
    }

    /// Reads what was written; what is not a record of this manifest knows nothing.
    init(reading bytes: [UInt8], of manifest: Digest) {
        let body = bytes.count - 32
        guard body >= Self.header, (body - Self.header).isMultiple(of: Self.stride),
            bytes.starts(with: Self.magic), bytes[Self.magic.count..<Self.header].elementsEqual(manifest.bytes),
            Digest(of: bytes[..<body]).bytes.elementsEqual(bytes[body...])
        else {
            self = .empty
            return
        }
        self.init(bytes: bytes, count: (body - Self.header) / Self.stride)
    }

    var written: [UInt8] { bytes }

    /// The identity that an object had when it was verified.
    subscript(digest: Digest) -> FileIdentity? {
        let wanted = digest.words.0
        return bytes.withUnsafeBytes { buffer in
            func word(_ index: Int, _ field: Int) -> UInt64 {
                UInt64(
                    littleEndian: buffer.loadUnaligned(
                        fromByteOffset: Self.header + index * Self.stride + field * 8, as: UInt64.self))
            }
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if word(middle, 0) < wanted { low = middle + 1 } else { high = middle }
            }
            guard low < count, word(low, 0) == wanted else { return nil }
            return FileIdentity(
                inode: word(low, 1), size: Int64(bitPattern: word(low, 2)),
                modified: Int64(bitPattern: word(low, 3)), changed: Int64(bitPattern: word(low, 4)))
        }
    }

    private static let magic = Array("packtool identities 1\n".utf8)
    private static let header = magic.count + 32
    private static let stride = 40
    /// Of the largest manifest.
    static let maximumByteCount = header + Manifest.maximumFileCount * stride + 32
}
