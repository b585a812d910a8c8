public import Foundation

/// Answers the page hook's questions about cookies: `document.cookie` of a page whose engine keeps none (a custom
/// scheme), or whose cookies the app keeps. It must answer at once, because a script's getter cannot wait.
public protocol CookieAuthority: Sendable {
    /// The value of `document.cookie` on a page. It never contains an `HttpOnly` cookie.
    func scriptCookies(at page: URL) -> String
    /// Stores the text that a script has assigned to `document.cookie` on a page.
    func setScriptCookie(_ text: String, at page: URL)
}
