/// Finds the page that a request belongs to.
public protocol PageSource: Sendable {
    func page(for request: SiteRequest) -> PageSession
    /// The newest page's report; nil before the first page.
    var lastReport: PageReport? { get }
    /// The page whose document the device has answered for the load of this address that the view is about to show; each is
    /// given once. Nil where the view has the document from elsewhere: a service worker, its own cache, the network. Such a
    /// page says nothing about the version that is installed, whatever it says.
    func takeDocument(of url: String) -> PageSession?
}

extension PageDirectory: PageSource {}
