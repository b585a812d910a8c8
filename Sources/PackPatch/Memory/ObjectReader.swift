import struct Crypto.SHA256
import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// Reads objects from a store one after the other, and verifies each.
struct ObjectReader {
    private static let chunkSize = 128 << 10

    /// Where the object of a digest is.
    let locate: (Digest) throws -> URL

    /// Gives the bytes of `object` in chunks to `body`.
    /// - Parameter isVerified: Also the SHA-256 is compared, not only the size.
    /// - Throws: ``PatchError/damagedBase(_:)`` after the last chunk if the file is not that object.
    func read(_ object: Object, isVerified: Bool, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file = try open(object)
        var hash = SHA256()
        var left = object.size
        try withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 16) { buffer in
            while true {
                let count = try file.read(into: buffer)
                if count == 0 { break }
                guard count <= left else { throw PatchError.damagedBase(object.digest) }
                left -= count
                let chunk = UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
                if isVerified { hash.update(bufferPointer: chunk) }
                try body(chunk)
            }
        }
        guard left == 0, !isVerified || Digest(hash.finalize()) == object.digest else {
            throw PatchError.damagedBase(object.digest)
        }
    }

    /// All of `objects`, one behind the other, in a temporary file without a name.
    func concatenate(_ objects: [Object], scratch folder: URL, isVerified: Bool) throws -> MappedMemory {
        let file = try OpenFile(scratchIn: folder)
        var count = 0
        for object in objects {
            try read(object, isVerified: isVerified) { chunk in
                try file.write(chunk)
                count += chunk.count
            }
        }
        return try file.map(count: count)
    }

    /// Reads all of `object`, whose size `bytes` have.
    func read(_ object: Object, into bytes: UnsafeMutableRawBufferPointer) throws {
        let file = try open(object)
        var rest = bytes
        while !rest.isEmpty {
            let count = try file.read(into: rest)
            guard count > 0 else { throw PatchError.damagedBase(object.digest) }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        guard try file.size() == object.size else { throw PatchError.damagedBase(object.digest) }
    }

    private func open(_ object: Object) throws -> OpenFile {
        let url = try locate(object.digest)
        do {
            return try OpenFile(reading: url)
        } catch {
            throw PatchError.damagedBase(object.digest)
        }
    }
}
