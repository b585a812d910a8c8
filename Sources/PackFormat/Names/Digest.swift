public import Crypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A SHA-256 digest: the name of an object, a manifest or an archive.
public struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 32 bytes as big-endian numbers: unlike an array they are copied, compared and hashed without a reference.
    private let a, b, c, d: UInt64

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [a, b, c, d] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }

    /// Reads 64 lower-case hexadecimal digits.
    /// - Throws: ``FormatError/invalidDigest(_:)``
    public init(hex: String) throws(FormatError) {
        let read = hex.utf8.withContiguousStorageIfAvailable { Self.words(hex: $0) } ?? Self.words(hex: Array(hex.utf8))
        guard let read else { throw .invalidDigest(hex) }
        self.init(words: read)
    }

    private static func words(hex: some RandomAccessCollection<UInt8>) -> (UInt64, UInt64, UInt64, UInt64)? {
        guard hex.count == 64 else { return nil }
        var digits = hex.makeIterator()
        func word() -> UInt64? {
            var word: UInt64 = 0
            for _ in 0..<16 {
                switch digits.next() {
                case let byte? where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
                    word = word << 4 | UInt64(byte - UInt8(ascii: "0"))
                case let byte? where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
                    word = word << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
                default: return nil
                }
            }
            return word
        }
        guard let a = word(), let b = word(), let c = word(), let d = word() else { return nil }
        return (a, b, c, d)
    }

    /// Makes a digest from its 32 bytes as big-endian numbers.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) {
        (a, b, c, d) = words
    }

    /// The 32 bytes as big-endian numbers.
    package var words: (UInt64, UInt64, UInt64, UInt64) { (a, b, c, d) }

    /// - Parameter bytes: 32 at least.
    private init(reading bytes: UnsafeRawBufferPointer) {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        self.init(words: (word(0), word(1), word(2), word(3)))
    }

    /// The digest of bytes in memory.
    public init(of data: some DataProtocol) {
        self.init(SHA256.hash(data: data))
    }

    /// Makes a digest that the caller has computed over a stream.
    public init(_ digest: SHA256Digest) {
        self = digest.withUnsafeBytes { Self(reading: $0) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        return String(unsafeUninitializedCapacity: 64) { buffer in
            var index = 0
            for word in [a, b, c, d] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    buffer[index] = digit(UInt8(truncatingIfNeeded: word >> shift) & 15)
                    index += 1
                }
            }
            return index
        }
    }

    public var description: String { hex }

    public static func < (left: Digest, right: Digest) -> Bool {
        left.words < right.words
    }
}
