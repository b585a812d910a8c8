import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The identities of a version's objects at the time of their verification: `verified/PACKAGE@VERSION` in the store.
///
/// It says whether all objects of the manifest are in it, has 64 bytes for each object, in the order of their digests, and a digest
/// of everything at the end. The record only saves time: if it is torn or belongs to another manifest, it counts as missing, and
/// every object is read.
struct IdentityRecord: Equatable {
    private let bytes: [UInt8]
    private let count: Int

    /// Knows nothing.
    static let empty = IdentityRecord(bytes: [], count: 0)

    private init(bytes: [UInt8], count: Int) {
        self.bytes = bytes
        self.count = count
    }

    /// - Parameter isComplete: whether these are all objects of the manifest.
    init(_ identities: [Digest: FileIdentity], of manifest: Digest, isComplete: Bool) {
        var bytes = Self.magic + manifest.bytes + [isComplete ? 1 : 0]
        bytes.reserveCapacity(Self.header + identities.count * Self.stride + 32)
        for (digest, identity) in identities.sorted(by: { $0.key < $1.key }) {
            let (a, b, c, d) = digest.words
            for word in [
                a, b, c, d, identity.inode, UInt64(bitPattern: identity.size),
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
            bytes.starts(with: Self.magic), bytes[Self.magic.count..<Self.header - 1].elementsEqual(manifest.bytes),
            Digest(of: bytes[..<body]).bytes.elementsEqual(bytes[body...])
        else {
            self = .empty
            return
        }
        self.init(bytes: bytes, count: (body - Self.header) / Self.stride)
    }

    /// Reads what a store has recorded about a version; empty if there is no record.
    init(in layout: StoreLayout, _ package: PackageID, _ id: VersionID) throws(UpdateError) {
        let file = layout.verified(package, id.version)
        guard let bytes = try Durable.readSound(file, maximumByteCount: Self.maximumByteCount) else {
            self = .empty
            return
        }
        self.init(reading: bytes, of: id.manifest)
    }

    var written: [UInt8] { bytes }

    /// Whether it has all objects of its manifest.
    var isComplete: Bool { count > 0 && bytes[Self.header - 1] == 1 }

    /// Where an object stands in the record.
    func index(of digest: Digest) -> Int? {
        bytes.withUnsafeBytes { buffer in
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if Self.digest(middle, in: buffer) < digest { low = middle + 1 } else { high = middle }
            }
            return low < count && Self.digest(low, in: buffer) == digest ? low : nil
        }
    }

    /// The identity that an object had when it was verified.
    subscript(digest: Digest) -> FileIdentity? {
        guard let index = index(of: digest) else { return nil }
        return bytes.withUnsafeBytes { Self.identity(index, in: $0) }
    }

    /// Looks at the file of every object of the record.
    /// - Returns: for each, whether it is what it was when the object was verified.
    func unchanged(_ reader: inout FileIdentity.Reader) -> [Bool] {
        bytes.withUnsafeBytes { buffer in
            var found: [Bool] = []
            found.reserveCapacity(count)
            for index in 0..<count {
                let identity = reader.identity(of: Self.digest(index, in: buffer))
                found.append(identity == Self.identity(index, in: buffer))
            }
            return found
        }
    }

    private static func word(_ index: Int, _ field: Int, in buffer: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(
            littleEndian: buffer.loadUnaligned(fromByteOffset: header + index * stride + field * 8, as: UInt64.self))
    }

    private static func digest(_ index: Int, in buffer: UnsafeRawBufferPointer) -> Digest {
        Digest(
            words: (
                word(index, 0, in: buffer), word(index, 1, in: buffer), word(index, 2, in: buffer),
                word(index, 3, in: buffer)
            ))
    }

    private static func identity(_ index: Int, in buffer: UnsafeRawBufferPointer) -> FileIdentity {
        FileIdentity(
            inode: word(index, 4, in: buffer), size: Int64(bitPattern: word(index, 5, in: buffer)),
            modified: Int64(bitPattern: word(index, 6, in: buffer)),
            changed: Int64(bitPattern: word(index, 7, in: buffer)))
    }

    private static let magic = Array("packtool identities 3\n".utf8)
    /// With the manifest's digest, and whether the record is complete.
    private static let header = magic.count + 32 + 1
    private static let stride = 64
    /// Of the largest manifest.
    static let maximumByteCount = header + Manifest.maximumFileCount * stride + 32
}
