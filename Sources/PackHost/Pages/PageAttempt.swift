/// One attempt of a view to show a page.
public struct PageAttempt: Sendable {
    /// From 1 on; 0 before the first navigation.
    public let number: Int
    /// The address of the navigation, then of the page on view.
    public internal(set) var url = ""
    /// The page, where the device itself has answered its document from an installed version; nothing else says
    /// anything about a version.
    public internal(set) var page: StartedPage?
    /// The version of the page, also of one that the engine had kept.
    public internal(set) var version: String?
    /// Until then the page before it is the one on view.
    public internal(set) var hasCommitted = false
    /// Whether the page has shown that it works.
    public internal(set) var isReady = false
    /// Whether it was told that the page does not work. It is told once.
    public internal(set) var hasFailed = false
    /// Whether the page says nothing about a version: it was stopped, or it is no page of the device.
    public internal(set) var isOver = false
    /// Whether the page is the app's own and says that another one has failed.
    var isFailurePage = false
}
