public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The one place that an app's cookies are kept in, as a page's `document.cookie` sees it. Cookies of requests are the
/// transport's: give its configuration the same storage.
public protocol CookieAuthority: Sendable {
    /// What `document.cookie` is at this page: `a=1; b=2`, without those that are HttpOnly.
    func scriptCookies(for page: URL) async -> String
    /// What assigning to `document.cookie` does, by RFC 6265 section 5.3: what a page may not set is ignored.
    func setScriptCookie(_ text: String, for page: URL) async
}

/// Cookies in an `HTTPCookieStorage`.
public struct StoredCookies: CookieAuthority {
    private let storage: HTTPCookieStorage

    public init(_ storage: HTTPCookieStorage) {
        self.storage = storage
    }

    public func scriptCookies(for page: URL) async -> String {
        (storage.cookies(for: page) ?? [])
            .filter { !$0.isHTTPOnly && ($0.expiresDate.map { $0 > Date() } ?? true) }
            // The longest path first (RFC 6265 section 5.4); the name makes the rest the same each time.
            .sorted { ($1.path.utf8.count, $0.name) < ($0.path.utf8.count, $1.name) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    public func setScriptCookie(_ text: String, for page: URL) async {
        guard let cookie = ScriptCookie(text, at: page, now: Date()) else { return }
        if let old = storage.cookies?.first(where: {
            $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path
        }) {
            // A script must not replace what it may not see.
            guard !old.isHTTPOnly else { return }
            storage.deleteCookie(old)
        }
        if !cookie.hasExpired, let stored = cookie.httpCookie { storage.setCookie(stored) }
    }
}
