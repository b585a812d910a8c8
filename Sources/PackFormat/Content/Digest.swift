public import Crypto
public import Foundation

/// A SHA-256 digest: the name of an object, a manifest or an archive.
public struct Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Reads 64 lower-case hexadecimal digits.
    /// - Throws: ``FormatError/invalidDigest(_:)``
    public init(hex: String) throws(FormatError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for byte in hex.utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: throw .invalidDigest(hex)
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard bytes.count == 32, high == nil else { throw .invalidDigest(hex) }
        self.bytes = bytes
    }

    /// Takes the 32 bytes of a digest; nil for another number of them.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The digest of bytes in memory.
    public init(of data: some DataProtocol) {
        self.init(SHA256.hash(data: data))
    }

    /// A digest that the caller computed over a stream.
    public init(_ digest: SHA256Digest) {
        bytes = Array(digest)
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[index * 2] = digit(byte >> 4)
                buffer[index * 2 + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    public var description: String { hex }

    public static func < (left: Digest, right: Digest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
