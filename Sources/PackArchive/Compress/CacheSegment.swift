import Foundation
import PackFormat
import Synchronization

/// One file of the compression cache: compressed contents one after the other, with their index at the end.
///
///     "PTKPACK1" | contents | index: 64 bytes each | count, offset and CRC-32 of the index | "PTKPEND1"
///
/// A pack is written once under a temporary name and never changed after. It is not fsynced: a torn one fails its
/// checksums, and then its contents are compressed again.
enum CacheSegment {
    static let magic = Array("PTKPACK1".utf8)
    static let endMagic = Array("PTKPEND1".utf8)
    static let entrySize = 64
    static let trailerSize = 28

    /// A digest as a key that costs no allocation.
    struct Key: Hashable, Sendable {
        let a, b, c, d: UInt64

        init(_ digest: Digest) {
            // A pack holds the bytes of the digest as little-endian numbers.
            let words = digest.words
            (a, b, c, d) = (
                words.0.byteSwapped, words.1.byteSwapped, words.2.byteSwapped, words.3.byteSwapped
            )
        }

        init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
            (self.a, self.b, self.c, self.d) = (a, b, c, d)
        }
    }

    struct Entry: Sendable {
        let key: Key
        /// Bytes of the content.
        let size: Int
        /// Bytes of the compressed content; 0 where compression does not shrink it.
        let compressedSize: Int
        let offset: Int
        let crc32: UInt32
        /// Of the compressed bytes.
        let packedCRC32: UInt32
    }

    /// Reads a pack's index; nil for a file that is no whole pack.
    static func entries(of file: OpenFile) -> [Entry]? {
        guard case let size = file.size, size >= magic.count + trailerSize,
            (try? file.bytes(at: 0, count: magic.count)) == magic,
            let trailer = try? file.bytes(at: size - trailerSize, count: trailerSize),
            trailer.suffix(endMagic.count).elementsEqual(endMagic)
        else { return nil }
        var reader = LittleEndianReader(trailer)
        guard let count = reader.uint64(), let offset = reader.uint64(), let crc = reader.uint32(),
            count <= size / entrySize, offset == size - trailerSize - count * entrySize,
            let index = try? file.bytes(at: offset, count: count * entrySize),
            index.withUnsafeBytes({ Deflater.crc32($0) }) == UInt32(crc)
        else { return nil }
        return index.withUnsafeBytes { bytes in
            var entries: [Entry] = []
            entries.reserveCapacity(count)
            for start in stride(from: 0, to: bytes.count, by: entrySize) {
                func word(_ at: Int) -> UInt64 {
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + at, as: UInt64.self))
                }
                let (place, length) = (word(40), word(48))
                guard place <= UInt64(offset), length <= UInt64(offset) - place, let size = Int(exactly: word(32))
                else { return nil }
                entries.append(
                    Entry(
                        key: Key(a: word(0), b: word(8), c: word(16), d: word(24)), size: size,
                        compressedSize: Int(length), offset: Int(place),
                        crc32: UInt32(truncatingIfNeeded: word(56)), packedCRC32: UInt32(word(56) >> 32)))
            }
            return entries
        }
    }
}

/// A segment that several threads are writing.
final class PackWriter: Sendable {
    private struct State {
        var end = CacheSegment.magic.count
        var index: [UInt8] = []
        var keys: Set<CacheSegment.Key> = []
    }

    let file: OpenFile
    let path: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: exists.
    ///   - isPassing: it becomes no pack of a cache, so it loses its name at once and a killed build leaves nothing.
    init(in folder: String, isPassing: Bool = false) throws(SystemFault) {
        path = "\(folder)/.new-\(UInt64.random(in: 0...UInt64.max)).tmp"
        file = try OpenFile.creating(path)
        if isPassing { unlink(path) }
        let file = file
        let result = CacheSegment.magic.withUnsafeBytes { bytes in
            Result<Void, SystemFault> { () throws(SystemFault) in try file.write(bytes, at: 0) }
        }
        try result.get()
    }

    deinit {
        // Gone already when it became a pack of the cache.
        unlink(path)
    }

    var count: Int { state.withLock { $0.keys.count } }

    func lists(_ key: CacheSegment.Key) -> Bool { state.withLock { $0.keys.contains(key) } }

    /// Keeps room for `count` bytes and says where.
    func reserve(_ count: Int) -> Int {
        state.withLock { state in
            defer { state.end += count }
            return state.end
        }
    }

    /// Lists a content that has been written, for the index.
    func list(_ entry: CacheSegment.Entry) {
        state.withLock { state in
            guard state.keys.insert(entry.key).inserted else { return }
            for word in [
                entry.key.a, entry.key.b, entry.key.c, entry.key.d, UInt64(entry.size), UInt64(entry.offset),
                UInt64(entry.compressedSize), UInt64(entry.packedCRC32) << 32 | UInt64(entry.crc32),
            ] {
                withUnsafeBytes(of: word.littleEndian) { state.index.append(contentsOf: $0) }
            }
        }
    }

    /// Writes the index and gives the file its name.
    func publish(as destination: String) throws(SystemFault) {
        let (end, index) = state.withLock { ($0.end, $0.index) }
        var tail = index
        let crc = index.withUnsafeBytes { Deflater.crc32($0) }
        withUnsafeBytes(of: UInt64(index.count / CacheSegment.entrySize).littleEndian) { tail.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt64(end).littleEndian) { tail.append(contentsOf: $0) }
        withUnsafeBytes(of: crc.littleEndian) { tail.append(contentsOf: $0) }
        tail += CacheSegment.endMagic
        let file = file
        let result = tail.withUnsafeBytes { bytes in
            Result<Void, SystemFault> { () throws(SystemFault) in try file.write(bytes, at: end) }
        }
        try result.get()
        guard rename(path, destination) == 0 else { throw SystemFault() }
    }
}
