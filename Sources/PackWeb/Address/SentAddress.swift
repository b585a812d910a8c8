#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An address as a browser sends it, as Foundation's `URL`.
///
/// A browser does not escape some bytes that RFC 3986 does not allow, such as `{` in a query. `URL(string:)` alone
/// escapes those, and every `%` with them, so that `%22` would arrive as `%2522`. A `%` that escapes nothing, as in
/// `?discount=10%`, is escaped itself, because servers read both forms in the same way.
public enum SentAddress {
    /// The URL of a text; nil if it is not an address.
    public static func url(_ text: String) -> URL? {
        let sent = escaped(text, slashes: 0)
        // Nothing is left to escape. iOS 16 has only the other call, which escapes nothing there.
        guard #available(iOS 17, *) else { return URL(string: sent) }
        return URL(string: sent, encodingInvalidCharacters: false)
    }

    /// What a header such as `Location` names, as a browser sends it (RFC 3986 section 5.2).
    /// - Returns: an absolute address; nil if the text is no address.
    package static func url(_ text: String, relativeTo base: URL?) -> URL? {
        if let url = url(text), url.scheme != nil { return url }
        // Without scheme and host all of it is path and query, where brackets are escaped.
        let reference = escaped(text, slashes: text.hasPrefix("//") ? 0 : 3)
        return URL(string: reference, relativeTo: base)?.absoluteURL
    }

    /// - Parameter slashes: those that stand before the text in its address.
    private static func escaped(_ text: String, slashes: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        // Brackets are the address's own in `http://[::1]/`.
        var slashes = slashes
        let sent = Array(text.utf8)
        for (index, byte) in sent.enumerated() {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            let isAllowed =
                byte == UInt8(ascii: "%")
                ? sent[(index + 1)...].prefix(2).count { isHexadecimal($0) } == 2
                : unescaped.contains(byte) || slashes < 3 && (byte == 0x5B || byte == 0x5D)
            if isAllowed {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & ~0x20)
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    private static let unescaped = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#@!$&'()*+,;=".utf8)
}
