/// The web view's cookies: `WKHTTPCookieStore`, WebKitGTK's `WebKitCookieManager`, or ``MemoryCookieStore``.
public protocol WebCookieStore: Sendable {
    /// - Throws: where the view does not say: that is not the same as none.
    func cookies() async throws -> [WebCookie]
    /// Puts a cookie in the place of the one of its key. What the view refuses, it does not have afterwards.
    func set(_ cookie: WebCookie) async
    func delete(_ cookie: WebCookie) async
}

/// The app's own cookies, which its `URLSession`s use: `HTTPCookieStorage`, or a store of a test.
public protocol NativeCookieStore: Sendable {
    func cookies() -> [WebCookie]
    func set(_ cookie: WebCookie)
    func delete(_ cookie: WebCookie)
}
