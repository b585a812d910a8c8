public import Foundation

/// What happens to an answer that redirects a request.
public enum RedirectPolicy: Sendable {
    /// The loader follows redirects, and the client is told only about the last answer. For web views whose adapters
    /// cannot report a redirect, such as those of custom schemes.
    case followed
    /// Like ``followed``, but a request for a page that is redirected to another origin gets the redirect itself,
    /// with a page that leads there. Under the first address, another site's page would have our origin, its storage
    /// and its hook.
    case followedWithinOrigin
    /// Like ``followedWithinOrigin``, but the client follows a redirect to the package's own address, so that it
    /// shows the page's address. For a server in front of an engine that has each request's body itself.
    case handedWithinOrigin
    /// The client is told about the redirect and makes the next request itself, so that it knows each hop and applies
    /// its own rules (Fetch section 4.4). For a server in front of an engine. If the next request has the body of
    /// this one, its address is tagged again and the body waits for it.
    /// - Parameter comesBack: whether the client's request to the address comes to this app; the body of one that does
    ///   not is the client's.
    case handed(comesBack: @Sendable (URL) -> Bool)
}
