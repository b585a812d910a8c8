import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A text that a page assigned to `document.cookie`, read by RFC 6265 section 5.2 with the page's address for what it
/// leaves out. Foundation's own parser is for headers and takes the text for several cookies where it has commas.
struct ScriptCookie: Hashable {
    /// Bytes of a name and its value (RFC 6265bis section 5.6).
    static let maximumLength = 4096

    let name: String
    let value: String
    let domain: String
    let path: String
    let isSecure: Bool
    let expires: Date?
    let hasExpired: Bool

    /// Nil where a browser would ignore the text.
    init?(_ text: String, at page: URL, now: Date) {
        guard let host = page.host()?.lowercased(), !text.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F })
        else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        let pair = Self.pair(parts[0])
        (name, value) = pair.1.map { (pair.0, $0) } ?? ("", pair.0)
        guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= Self.maximumLength else {
            return nil
        }
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
            let (name, value) = Self.pair(part)
            attributes[name.lowercased()] = value ?? ""
        }
        // A script cannot make what it may not see.
        guard attributes["httponly"] == nil else { return nil }
        isSecure = attributes["secure"] != nil
        guard !isSecure || page.scheme == "https" else { return nil }
        let isSecurePage = page.scheme == "https"
        if name.hasPrefix("__Secure-") || name.hasPrefix("__Host-") {
            guard isSecure, isSecurePage else { return nil }
        }
        if let given = attributes["domain"].map({ $0.lowercased().drop { $0 == "." } }), !given.isEmpty {
            guard !name.hasPrefix("__Host-"), host == given || host.hasSuffix("." + given) && given.contains(".") else {
                return nil
            }
            domain = "." + given
        } else {
            domain = host
        }
        if let given = attributes["path"], given.hasPrefix("/") {
            path = given
        } else {
            let folder = page.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false)
                .dropLast().joined(separator: "/")
            path = folder.isEmpty ? "/" : folder
        }
        if name.hasPrefix("__Host-"), path != "/" { return nil }
        if let age = attributes["max-age"].flatMap(Int.init) {
            // Ten years are for ever, and no overflow.
            expires = now.addingTimeInterval(TimeInterval(min(max(age, 0), 315_360_000)))
            hasExpired = age <= 0
        } else if let date = attributes["expires"].flatMap(Self.date) {
            expires = date
            hasExpired = date <= now
        } else {
            expires = nil
            hasExpired = false
        }
    }

    var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: value, .domain: domain, .path: path]
        if isSecure { properties[.secure] = "TRUE" }
        if let expires { properties[.expires] = expires }
        return HTTPCookie(properties: properties)
    }

    private static func pair(_ text: String) -> (String, String?) {
        guard let sign = text.firstIndex(of: "=") else { return (text, nil) }
        return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for form in ["EEE, dd MMM yyyy HH:mm:ss zzz", "EEE, dd-MMM-yyyy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy"] {
            formatter.dateFormat = form
            if let date = formatter.date(from: text) { return date }
        }
        return nil
    }
}
