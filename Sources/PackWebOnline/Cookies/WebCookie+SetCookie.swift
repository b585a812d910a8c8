public import Foundation

extension WebCookie {
    /// Bytes of name and value together, and of an attribute's value (RFC 6265bis section 5.6).
    static let maximumPairLength = 4096
    static let maximumAttributeLength = 1024

    /// Who sets the cookie.
    public enum Source: Sendable {
        case server
        /// `document.cookie`: it must not set or change cookies that are hidden from scripts.
        case script
    }

    /// Parses one `Set-Cookie` field, or a script's assignment to `document.cookie` (RFC 6265bis section 5.6 and
    /// 5.7).
    /// - Parameters:
    ///   - url: the URL of the answer, or of the page.
    ///   - now: the time from which `Max-Age` counts.
    /// - Returns: Nil if the cookie must be ignored. A cookie to delete is returned as expired.
    public init?(setCookie text: String, from source: Source, at url: URL, now: Date) {
        guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
        guard !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let pair = parts[0]
        let name: String
        let value: String
        if let equals = pair.firstIndex(of: "=") {
            name = Self.trim(pair[..<equals])
            value = Self.trim(pair[pair.index(after: equals)...])
        } else {
            (name, value) = ("", Self.trim(pair))
        }
        guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= Self.maximumPairLength else {
            return nil
        }
        let attributes = Attributes(parts.dropFirst(), now: now)
        let scheme = url.scheme?.lowercased()
        self.init(
            name: name, value: value, domain: host, path: attributes.path ?? Self.defaultPath(of: url),
            expires: attributes.expires, isSecure: attributes.isSecure, isHTTPOnly: attributes.isHTTPOnly,
            sameSite: attributes.sameSite)
        if let domain = attributes.domain, !domain.isEmpty {
            // One label is a public suffix: "package" would join all packages, "com" the world.
            guard domain == host || (domain.contains(".") && CookieScope.host(host, isWithin: domain)) else {
                return nil
            }
            self.domain = domain
            isHostOnly = domain == host && !domain.contains(".")
        }
        if isSecure, scheme == "http" { return nil }
        if source == .script, isHTTPOnly { return nil }
        if sameSite == SameSite.none, !isSecure { return nil }
        let prefix = (name.isEmpty ? value : name).lowercased()
        if prefix.hasPrefix("__secure-"), !isSecure { return nil }
        if prefix.hasPrefix("__host-"), !isSecure || !isHostOnly || path != "/" { return nil }
    }

    /// The folder of the URL's path (section 5.1.4).
    static func defaultPath(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func trim(_ text: Substring) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    private struct Attributes {
        var domain: String?
        var path: String?
        var expires: Date?
        var isSecure = false
        var isHTTPOnly = false
        var sameSite: SameSite?

        init(_ parts: ArraySlice<Substring>, now: Date) {
            var age: Date?
            for part in parts {
                let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = halves.count == 2 ? WebCookie.trim(halves[1]) : ""
                guard value.utf8.count <= WebCookie.maximumAttributeLength else { continue }
                switch WebCookie.trim(halves[0]).lowercased() {
                case "expires": expires = CookieDate.date(value) ?? expires
                case "max-age":
                    guard let first = value.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
                        value.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
                    else { continue }
                    let seconds = Double(value) ?? 0
                    age = seconds <= 0 ? .distantPast : now.addingTimeInterval(min(seconds, 400 * 86_400))
                case "domain": domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
                case "path": path = value.hasPrefix("/") ? value : nil
                case "secure": isSecure = true
                case "httponly": isHTTPOnly = true
                case "samesite":
                    sameSite = ["strict": .strict, "lax": .lax, "none": SameSite.none][value.lowercased()]
                default: break
                }
            }
            // `Max-Age` has the last word (section 5.7 step 3).
            if let age { expires = age }
        }
    }
}
