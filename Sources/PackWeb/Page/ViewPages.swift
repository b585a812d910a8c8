import PackFormat

/// Tells the pages of one web view apart where its requests do not name their page: a scheme handler's carry neither
/// `Referer` nor Fetch Metadata (WebKitGTK 2.50). The view says when its main frame starts to load and when the new page
/// has replaced the old one.
///
///     let pages = ViewPages(catalog)
///     pages.start(url)      // didStartProvisionalNavigation, WEBKIT_LOAD_STARTED
///     pages.commit(url)     // didCommit, WEBKIT_LOAD_COMMITTED
///     pages.stop(url)       // didFailProvisionalNavigation, load-failed: a download, a load that was given up
///
/// Between the two the old page may still ask: it gets its own version, the document that was asked for the new one.
public final class ViewPages: PageSource {
    private struct Page {
        let url: String
        let session: PageSession
    }

    private struct State {
        var current: Page?
        /// The load that has started, and its session once the document was asked for.
        var startedURL: String?
        var started: Page?
        /// Pages that the view may bring back without asking for them again, oldest first.
        var earlier: [Page] = []
    }

    /// Pages beyond those that engines keep for back and forward.
    private static let maximumEarlierCount = 8

    private let catalog: any SiteCatalog
    private let state = Locked(State())

    public init(_ catalog: any SiteCatalog) {
        self.catalog = catalog
    }

    /// The main frame starts to load this URL.
    public func start(_ url: String) {
        state.withLock { state in
            state.startedURL = Self.key(url)
            state.started = nil
        }
    }

    /// The page of this URL is the one on view: from now on requests are its.
    public func commit(_ url: String) {
        state.withLock { state in
            let key = Self.key(url)
            let next = state.started ?? state.earlier.last { $0.url == key }
            state.startedURL = nil
            state.started = nil
            guard let next else { return }
            if let current = state.current, current.session !== next.session { state.earlier.append(current) }
            state.earlier.removeAll { $0.session === next.session }
            if state.earlier.count > Self.maximumEarlierCount { state.earlier.removeFirst() }
            state.current = next
        }
    }

    /// The load of this URL has ended without a page: the one on view stays, and asks for its own parts.
    public func stop(_ url: String) {
        state.withLock { state in
            // Not the end of a load that a newer one has replaced.
            guard state.startedURL == Self.key(url) else { return }
            state.startedURL = nil
            state.started = nil
        }
    }

    public func page(for request: SiteRequest) -> PageSession {
        let key = Self.key(request.url)
        return state.withLock { state in
            if let started = state.started, started.url == key { return started.session }
            if state.startedURL == key, request.wantsPage {
                let page = Page(url: key, session: PageSession(catalog))
                state.started = page
                return page.session
            }
            if let current = state.current { return current.session }
            // A request before any page: the view did not say that it starts.
            let page = Page(url: key, session: PageSession(catalog))
            state.current = page
            return page.session
        }
    }

    public var lastReport: PageReport? {
        state.withLock { $0.current ?? $0.started }?.session.report
    }

    private static func key(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
}
