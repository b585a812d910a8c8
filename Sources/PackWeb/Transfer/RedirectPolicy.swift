public import Foundation

/// What becomes of an answer that sends a request elsewhere.
public enum RedirectPolicy: Sendable {
    /// The hops are made here, and the client hears of the last answer only: for web views whose adapters cannot say
    /// that a request was redirected, as those of custom schemes.
    case followed
    /// As ``followed``, but what asks for a page and is sent to another origin gets the redirect itself, with a page that
    /// leads there: shown under the first address, another site's page would have our origin, its storage and its hook.
    case followedWithinOrigin
    /// As ``followedWithinOrigin``, but a redirect to the package's own address is the client's to follow, so that it shows
    /// the address where the page is: for a server in front of an engine that has each request's body itself.
    case handedWithinOrigin
    /// The client hears of the redirect and makes the next request itself, so that it knows each hop and keeps its own
    /// rules of them (Fetch section 4.4): for a server in front of an engine. Where the next request has the body of
    /// this one, its address is tagged again and the body waits for it.
    /// - Parameter comesBack: whether the client's request to the address comes to this app; the body of one that does
    ///   not is the client's.
    case handed(comesBack: @Sendable (URL) -> Bool)
}
