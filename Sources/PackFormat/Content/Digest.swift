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
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    public var description: String { hex }

    public static func < (left: Digest, right: Digest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
