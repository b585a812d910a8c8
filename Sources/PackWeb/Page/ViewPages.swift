import PackFormat

/// Tells the pages of one web view apart if its requests do not name their page: those of a scheme handler have
/// neither `Referer` nor Fetch Metadata (WebKitGTK 2.50). The view reports when its main frame starts to load and
/// when the new page has replaced the old one.
///
///     let pages = ViewPages(catalog)
///     pages.start(url)      // didStartProvisionalNavigation, WEBKIT_LOAD_STARTED
///     pages.commit(url, history: history)   // didCommit, WEBKIT_LOAD_COMMITTED
///     pages.stop(url)       // didFailProvisionalNavigation, load-failed: a download, a load that was given up
///
/// Between the two, the old page may still send requests. They get its own version; the request for the document gets
/// the new one.
///
/// For back and forward, an engine restores a page as it was, without requesting its document, for the place in its
/// history at which the page was left. The page then has the session that it started with. It is found by that place,
/// because there may be several pages of one address, and `pushState` gives a page other addresses.
public final class ViewPages: PageSource {
    private struct Page: PlacedPage {
        let url: String
        let session: PageSession
        var places: Set<Int> = []
    }

    private struct State {
        /// The load that has started, and its session once the document was asked for.
        var startedURL: String?
        var started: Page?
        /// Whether the view has taken that document.
        var isTaken = false
        /// The page on view, and before it those that the view may bring back without asking for them again.
        var shown: [Page] = []

        /// The number of the page that comes back.
        func index(of url: String, _ history: ViewHistory?) -> Int? {
            if let history { return shown.lastIndex { $0.places.contains(history.current) } }
            return shown.dropLast().lastIndex { $0.url == url }
        }
    }

    /// Pages, with some beyond those that engines keep for back and forward.
    private static let maximumCount = 9

    private let catalog: any SiteCatalog
    private let state = Locked(State())

    public init(_ catalog: any SiteCatalog) {
        self.catalog = catalog
    }

    /// Call it when the main frame starts to load this URL.
    public func start(_ url: String) {
        state.withLock { state in
            state.startedURL = Self.key(url)
            state.started = nil
        }
    }

    /// Call it when the page of this URL is shown: from now on requests belong to it.
    /// - Parameters:
    ///   - history: of the view, as it is now; without it a page that comes back is known by its URL.
    ///   - isReload: whether it is the page on view, loaded anew.
    /// - Returns: what the page has asked for until now; nil if it is no package's or not known.
    @discardableResult
    public func commit(_ url: String, history: ViewHistory? = nil, isReload: Bool = false) -> PageReport? {
        state.withLock { state in
            let started = state.started
            state.startedURL = nil
            state.started = nil
            let places = history?.settle(
                &state.shown, onView: state.shown.indices.last, isNew: started != nil, isReload: isReload)
            var isKnown = true
            if var next = started {
                next.places = places ?? []
                state.shown.append(next)
            } else if let index = state.index(of: Self.key(url), history) {
                state.shown.append(state.shown.remove(at: index))
            } else {
                isKnown = false
                let session = PageSession(catalog)
                if let history, !session.handles(url) {
                    // A page of the network: the one before is no longer on view.
                    state.shown.append(Page(url: Self.key(url), session: session, places: [history.current]))
                }
            }
            if history != nil, let onView = state.shown.popLast() {
                // No place leads to the others any more.
                state.shown = state.shown.filter { !$0.places.isEmpty } + [onView]
            }
            if state.shown.count > Self.maximumCount { state.shown.removeFirst() }
            return isKnown ? state.shown.last?.session.report : nil
        }
    }

    /// Call it when the load of this URL has ended without a page: the current page stays and requests its own parts.
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
                state.isTaken = false
                return page.session
            }
            if let onView = state.shown.last { return onView.session }
            // A request before any page: the view did not say that it starts.
            let page = Page(url: key, session: PageSession(catalog))
            state.shown = [page]
            return page.session
        }
    }

    /// The key is not needed: a scheme handler's pages have no service workers.
    public func takeDocument(of url: String, key _: String?) -> PageSession? {
        let key = Self.key(url)
        let taken = state.withLock { state -> PageSession? in
            guard let started = state.started, started.url == key, !state.isTaken else { return nil }
            state.isTaken = true
            return started.session
        }
        return taken?.hasAnsweredDocument(at: key) == true ? taken : nil
    }

    public var lastReport: PageReport? {
        state.withLock { $0.shown.last ?? $0.started }?.session.report
    }

    private static func key(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
}
