import Foundation
package import PackFormat

/// The text of an access token: `ptk_` and 36 bytes in base64url, of which the last 4 are a checksum.
///
/// The prefix lets scanners find a leaked token. The checksum distinguishes a mistyped token from a revoked one, and
/// lets a server refuse noise before it queries the database.
package struct TokenSecret: Sendable {
    package static let prefix = "ptk_"
    private static let randomByteCount = 32
    private static let checksumByteCount = 4

    package let text: String

    /// A new secret of 256 random bits.
    package init(generator: inout some RandomNumberGenerator) {
        let random = (0..<Self.randomByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        text = Self.prefix + Self.encode(random + Self.checksum(of: random))
    }

    /// Nil for a text that no registry can have created.
    package init?(parsing text: String) {
        guard text.hasPrefix(Self.prefix), let bytes = Self.decode(text.dropFirst(Self.prefix.count)),
            bytes.count == Self.randomByteCount + Self.checksumByteCount,
            Array(bytes.suffix(Self.checksumByteCount)) == Self.checksum(of: bytes.prefix(Self.randomByteCount))
        else { return nil }
        self.text = text
    }

    /// The hash, which the registry stores.
    package var hash: Digest { Digest(of: Array(text.utf8)) }

    /// The id of its record, which everybody may know.
    package var id: String { String(hash.hex.prefix(12)) }

    /// Compares two hashes in constant time.
    package static func isEqual(_ left: Digest, _ right: Digest) -> Bool {
        var difference: UInt8 = 0
        for (a, b) in zip(left.bytes, right.bytes) { difference |= a ^ b }
        return difference == 0 && left.bytes.count == right.bytes.count
    }

    private static func checksum(of bytes: some Collection<UInt8>) -> [UInt8] {
        Array(Digest(of: Array("packtool token ".utf8) + Array(bytes)).bytes.prefix(checksumByteCount))
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        guard !text.contains(where: { $0 == "+" || $0 == "/" }) else { return nil }
        let standard = String(text.replacing("-", with: "+").replacing("_", with: "/"))
        return Data(base64Encoded: standard).map { [UInt8]($0) }
    }
}
