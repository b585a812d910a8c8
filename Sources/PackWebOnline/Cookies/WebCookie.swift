public import Foundation

/// A cookie as RFC 6265bis defines it: the form in which cookies of web views, `HTTPCookieStorage` and pages are
/// compared.
public struct WebCookie: Hashable, Sendable {
    public enum SameSite: String, Hashable, Sendable {
        case strict = "Strict"
        case lax = "Lax"
        case none = "None"
    }

    /// Identifies a cookie (section 5.7 step 22): a later one with the same key replaces an earlier one.
    public struct Key: Hashable, Sendable {
        public let name: String
        public let domain: String
        public let isHostOnly: Bool
        public let path: String
    }

    public var name: String
    public var value: String
    /// The domain in lower case, without a leading dot.
    public var domain: String
    /// Whether only that host gets the cookie, and no host below it.
    public var isHostOnly: Bool
    public var path: String
    /// Nil: the cookie lives until the app ends.
    public var expires: Date?
    public var isSecure: Bool
    /// Whether scripts must not see the cookie.
    public var isHTTPOnly: Bool
    /// Nil if the attribute is absent, which counts as ``SameSite/lax``.
    public var sameSite: SameSite?

    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Date? = nil,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = domain.lowercased()
        self.isHostOnly = isHostOnly
        self.path = path
        // Stores keep whole seconds.
        self.expires = expires.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }

    public var key: Key { Key(name: name, domain: domain, isHostOnly: isHostOnly, path: path) }

    public func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether two stores hold the same. `SameSite` is left out: Foundation's storage does not keep it everywhere.
    func isLike(_ other: WebCookie) -> Bool {
        key == other.key && value == other.value && expires == other.expires && isSecure == other.isSecure
            && isHTTPOnly == other.isHTTPOnly
    }
}
