/// The web view's cookies: `WKHTTPCookieStore`, WebKitGTK's `WebKitCookieManager`, or ``MemoryCookieStore``.
public protocol WebCookieStore: Sendable {
    /// - Throws: If the view cannot list its cookies, which is not the same as having none.
    func cookies() async throws -> [WebCookie]
    /// Replaces the cookie with the same key. If the view refuses the new one, it has neither afterwards.
    func set(_ cookie: WebCookie) async
    func delete(_ cookie: WebCookie) async
}

/// The app's own cookies, which its `URLSession`s use: `HTTPCookieStorage`, or a store of a test.
public protocol NativeCookieStore: Sendable {
    func cookies() -> [WebCookie]
    func set(_ cookie: WebCookie)
    func delete(_ cookie: WebCookie)
}
