public import Foundation

/// What the page hook asks about cookies: `document.cookie` of a page whose engine keeps none (a custom scheme), or whose
/// cookies the app keeps. Answers at once, because a script's getter cannot wait.
public protocol CookieAuthority: Sendable {
    /// What `document.cookie` gives on a page: never a cookie that is `HttpOnly`.
    func scriptCookies(at page: URL) -> String
    /// What a script assigned to `document.cookie` on a page.
    func setScriptCookie(_ text: String, at page: URL)
}
