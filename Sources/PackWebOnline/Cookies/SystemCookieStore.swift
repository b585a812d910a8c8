#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// `HTTPCookieStorage` as the app's cookie store.
public struct SystemCookieStore: NativeCookieStore {
    private let storage: HTTPCookieStorage

    /// - Parameter storage: The storage, which is thread-safe by its documentation.
    public init(_ storage: HTTPCookieStorage) {
        self.storage = storage
    }

    public func cookies() -> [WebCookie] { (storage.cookies ?? []).map { WebCookie($0) } }

    public func set(_ cookie: WebCookie) {
        if let cookie = cookie.systemCookie { storage.setCookie(cookie) }
    }

    public func delete(_ cookie: WebCookie) {
        // By identity of name, domain and path: the stored one may have another value.
        for known in storage.cookies ?? [] where WebCookie(known).key == cookie.key { storage.deleteCookie(known) }
    }
}

extension WebCookie {
    private static let sameSiteKey = HTTPCookiePropertyKey("SameSite")
    private static let httpOnlyKey = HTTPCookiePropertyKey("HttpOnly")

    /// Converts a cookie of Foundation, which marks a domain that includes all hosts below it with a leading dot.
    public init(_ cookie: HTTPCookie) {
        let isHostOnly = !cookie.domain.hasPrefix(".")
        let sameSite = (cookie.properties?[Self.sameSiteKey] as? String)?.lowercased()
        self.init(
            name: cookie.name, value: cookie.value,
            domain: isHostOnly ? cookie.domain : String(cookie.domain.dropFirst()),
            isHostOnly: isHostOnly, path: cookie.path, expires: cookie.expiresDate, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            sameSite: sameSite.flatMap { ["strict": .strict, "lax": .lax, "none": SameSite.none][$0] })
    }

    /// The cookie for Foundation; nil if Foundation refuses it, because it requires a name.
    public var systemCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: isHostOnly ? domain : ".\(domain)", .path: path,
        ]
        if let expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[Self.httpOnlyKey] = "TRUE" }
        if let sameSite { properties[Self.sameSiteKey] = sameSite.rawValue }
        return HTTPCookie(properties: properties)
    }
}
