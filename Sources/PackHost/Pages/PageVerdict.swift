public import PackFormat

/// What the end of a load means.
public enum PageVerdict: Sendable {
    case nothing
    /// The page works: confirm its version (``PackHost/confirm(_:)``).
    case works(StartedPage)
    /// The page has loaded without these scripts and styles, which its version does not have. It is not ready.
    case lacks([String], StartedPage)
    /// The version has nothing at the path to open: load this address, its `/`, in place of it.
    case opensRoot(String, StartedPage)
    case failed(PageFailure)
}

/// A page that does not work.
public struct PageFailure: Hashable, Sendable {
    /// The number of the attempt that has failed. If ``PageState/attempt`` has another one by now, another page is
    /// under way, and there is nothing to show in place of this one.
    public let attempt: Int
    /// Why, for a log.
    public let reason: String
    /// The version to leave if the trial agrees (``VersionTrial/goBack(from:reason:)``); nil if it speaks against none.
    public let suspect: Digest?
    /// Whether the page's process may hang. Then nothing loads in it any more.
    public let mayHang: Bool
}
