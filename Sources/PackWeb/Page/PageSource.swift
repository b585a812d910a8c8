/// Finds the page that a request belongs to.
public protocol PageSource: Sendable {
    func page(for request: SiteRequest) -> PageSession
    /// The newest page's report; nil before the first page.
    var lastReport: PageReport? { get }
}

extension PageDirectory: PageSource {}
