public import PackWeb

/// The pages of one web view, by the way in which they are told apart, and what the view reports about its navigations.
public enum WebViewPages: PageSource {
    /// Of a custom scheme, whose requests do not name their page: the view's reports tell them apart.
    case view(ViewPages)
    /// Of a proxy, whose requests name their page.
    case directory(PageDirectory)

    /// Call it when the main frame starts to load this URL.
    public func start(_ url: String) {
        if case .view(let pages) = self { pages.start(url) }
    }

    /// Call it when the load of this URL has ended without a page: a failure, a download, a load that was given up.
    public func stop(_ url: String) {
        if case .view(let pages) = self { pages.stop(url) }
        _ = takeDocument(of: url, key: nil)
    }

    /// Call it when the page of this URL has replaced the previous one.
    /// - Parameters:
    ///   - history: of the view, as it is now.
    ///   - isRestored: whether the engine had kept the page for back and forward.
    ///   - isReload: whether it is the page on view, loaded anew.
    /// - Returns: what the page has asked for until now; nil if it is no package's or not known.
    @discardableResult
    public func commit(_ url: String, history: ViewHistory, isRestored: Bool, isReload: Bool) -> PageReport? {
        switch self {
        case .view(let pages): pages.commit(url, history: history, isReload: isReload)
        case .directory(let pages):
            pages.commit(url, history: history, isRestored: isRestored, isReload: isReload)
        }
    }

    public func page(for request: SiteRequest) -> PageSession { source.page(for: request) }

    public func takeDocument(of url: String, key: String?) -> PageSession? { source.takeDocument(of: url, key: key) }

    public var lastReport: PageReport? { source.lastReport }

    private var source: any PageSource {
        switch self {
        case .view(let pages): pages
        case .directory(let pages): pages
        }
    }
}
