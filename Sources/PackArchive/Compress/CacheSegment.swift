import Foundation
import PackFormat

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
