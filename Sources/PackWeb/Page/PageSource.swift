/// Finds the page that a request belongs to.
public protocol PageSource: Sendable {
    func page(for request: SiteRequest) -> PageSession
    /// The newest page's report; nil before the first page.
    var lastReport: PageReport? { get }
    /// The page whose document the device has answered, for the load of this address that the view is about to show.
    /// Each page is returned once. Nil if the document came from elsewhere: a service worker, the view's own cache,
    /// the network. Such a page says nothing about the installed version, whatever it claims.
    /// - Parameter key: the field ``PageSession/documentField`` of the answer that the view shows; nil if it has none.
    ///   That the device was asked for the document is no proof: an engine may ask the device and its service worker at
    ///   the same time, and show the worker's answer (WebKitGTK 2.50 does while a worker starts).
    func takeDocument(of url: String, key: String?) -> PageSession?
}

extension PageDirectory: PageSource {}
