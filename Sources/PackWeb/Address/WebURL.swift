/// An absolute URL with an authority, split at its delimiters and otherwise unchanged (RFC 3986 section 3).
///
/// Web engines hand out URLs that they have parsed. This type neither repairs nor re-encodes them. A text that an
/// engine would never send (with blanks, control characters, backslashes) is not a URL.
package struct WebURL: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    /// In lower case, without brackets removed or percent-encoding undone.
    package let host: String
    package let port: Int?
    package let hasUserInfo: Bool
    /// As it was sent, at least `/`.
    package let path: String
    /// Without the `?`.
    package let query: String?
    /// Without the `#`.
    package let fragment: String?

    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = Substring(bytes[..<colon])
        guard Self.isScheme(scheme), bytes[colon...].starts(with: "://".utf8) else { return nil }
        var rest = bytes[bytes.index(colon, offsetBy: 3)...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(Substring(rest[rest.index(after: hash)...]))
            rest = rest[..<hash]
        } else {
            fragment = nil
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        } else {
            query = nil
        }
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = slash == rest.endIndex ? "/" : String(Substring(rest[slash...]))
        var authority = rest[..<slash]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            hasUserInfo = true
            authority = authority[authority.index(after: at)...]
        } else {
            hasUserInfo = false
        }
        if authority.last != UInt8(ascii: "]"), let colon = authority.lastIndex(of: UInt8(ascii: ":")) {
            let digits = Substring(authority[authority.index(after: colon)...])
            guard digits.isEmpty || digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            guard digits.isEmpty || (UInt16(digits) != nil) else { return nil }
            port = Int(digits)
            authority = authority[..<colon]
        } else {
            port = nil
        }
        self.scheme = scheme.lowercased()
        host = Substring(authority).lowercased()
    }

    /// The port that is talked to: the given one, else the scheme's.
    package var effectivePort: Int? {
        port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
}
