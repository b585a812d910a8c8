import Foundation

/// Decides which requests a cookie belongs to (RFC 6265bis sections 5.1.3, 5.1.4, 5.8.3).
enum CookieScope {
    /// Whether the host is the domain or below it. An address of numbers has nothing below.
    static func host(_ host: String, isWithin domain: String) -> Bool {
        if host == domain { return true }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        return !isAddress && host.hasSuffix("." + domain)
    }

    static func path(_ path: String, isWithin cookiePath: String) -> Bool {
        if path == cookiePath { return true }
        guard path.hasPrefix(cookiePath) else { return false }
        return cookiePath.hasSuffix("/") || path.dropFirst(cookiePath.count).hasPrefix("/")
    }

    static func admits(_ cookie: WebCookie, to url: URL, now: Date) -> Bool {
        guard let host = url.host?.lowercased(), !cookie.isExpired(at: now) else { return false }
        if cookie.isSecure, url.scheme?.lowercased() == "http" { return false }
        let path = url.path(percentEncoded: true)
        return (cookie.isHostOnly ? host == cookie.domain : Self.host(host, isWithin: cookie.domain))
            && Self.path(path.isEmpty ? "/" : path, isWithin: cookie.path)
    }

    /// Whether a request that a page makes may carry the cookie.
    /// - Parameter page: the URL of the page; nil: nobody's, as of the app itself.
    static func admits(_ cookie: WebCookie, from page: URL?, to url: URL, isNavigation: Bool, method: String) -> Bool {
        guard let page, !isSameSite(page, url) else { return true }
        switch cookie.sameSite ?? .lax {
        case .none: return true
        case .lax: return isNavigation && ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
        case .strict: return false
        }
    }

    /// Without a list of public suffixes, hosts are of one site where one is the other or above it: what is taken for two
    /// sites by mistake gets a cookie too few, never one too many.
    static func isSameSite(_ one: URL, _ other: URL) -> Bool {
        guard one.scheme?.lowercased() == other.scheme?.lowercased(), let a = one.host?.lowercased(),
            let b = other.host?.lowercased()
        else { return false }
        return host(a, isWithin: b) || host(b, isWithin: a)
    }

    /// The `Cookie` field: longer paths first, each cookie once.
    static func header(_ cookies: [WebCookie]) -> String? {
        let sorted = cookies.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        let text = sorted.map { $0.element.name.isEmpty ? $0.element.value : "\($0.element.name)=\($0.element.value)" }
            .joined(separator: "; ")
        return text.isEmpty ? nil : text
    }
}
