import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells pages apart if the connection does not: a proxy, a local server, a `URLProtocol`.
///
/// A navigation starts a page. A request names its page in `Referer`, by the page's own address or by that of a
/// script or a style sheet that was loaded for it. If two pages have loaded the same address under different
/// versions, the page whose version has the file (or whose rules decide about it) is chosen, the newer first. A web view
/// with a page per scheme handler does not need this.
public final class PageDirectory: Sendable {
    private struct Page: PlacedPage {
        let session: PageSession
        var urls: Set<String>
        /// The number of the last request that was its.
        var lastUse: Int
        var places: Set<Int> = []
        /// The address of the document that the page began with, until the view takes it.
        var document: String?
    }

    private struct Pages {
        /// In the order of their starts, or of their coming back.
        var open: [Page] = []
        var requestCount = 0
        /// By the address of a service worker's script: what the worker's own requests are answered from.
        var workers = RecentCache<String, PageSession>(maximumCount: maximumWorkerCount)
        /// The page on view, where the view says.
        weak var onView: PageSession?
    }

    /// A page forgets further addresses: its later parts are then taken for the newest page's.
    private static let maximumURLCount = 4096
    /// Beyond it those that ask for nothing are forgotten, and found again by their next look for a newer script.
    private static let maximumWorkerCount = 64

    private let catalog: any SiteCatalog
    private let maximumPageCount: Int
    private let pages = Locked(Pages())

    /// - Parameter maximumPageCount: The largest number of pages that are kept apart. Beyond it, the page whose last
    ///   request is the oldest is dropped.
    public init(_ catalog: any SiteCatalog, maximumPageCount: Int = 32) {
        self.catalog = catalog
        self.maximumPageCount = max(1, maximumPageCount)
    }

    /// The page that a request belongs to, a new one for a navigation.
    public func page(for request: SiteRequest) -> PageSession {
        let url = Self.key(request.url)
        if let worker = worker(of: request, at: url) { return worker }
        if Self.isNavigation(request) { return open(at: url, isDocument: Self.isDocument(request)) }
        let candidates = pages.withLock { $0.open }
        guard let index = Self.owner(of: request, among: candidates) else { return open(at: url, isDocument: false) }
        let session = candidates[index].session
        pages.withLock { pages in
            guard let index = pages.open.lastIndex(where: { $0.session === session }) else { return }
            pages.requestCount += 1
            pages.open[index].lastUse = pages.requestCount
            if pages.open[index].urls.count < Self.maximumURLCount { pages.open[index].urls.insert(url) }
        }
        return session
    }

    /// Whether the device answers a request; false for requests that should go out unchanged. Pure: engines call it
    /// several times, and it opens no version.
    public func takes(_ request: SiteRequest) -> Bool {
        let candidates = pages.withLock { $0.open }
        if !Self.isNavigation(request), let index = Self.owner(of: request, among: candidates) {
            return candidates[index].session.takes(request)
        }
        return PageSession(catalog).mayTake(request)
    }

    /// Call it when the view's page has replaced the previous one. Engines keep pages for back and forward; a page
    /// that comes back without a new request counts as the newest from then on, because there may be several pages of
    /// one address.
    /// - Parameters:
    ///   - history: of the view, as it is now.
    ///   - isRestored: whether the engine had kept the page.
    ///   - isReload: whether it is the page on view, loaded anew.
    /// - Returns: what the page has asked for until now; nil if it is no package's or not known.
    @discardableResult
    public func commit(
        _ url: String, history: ViewHistory, isRestored: Bool, isReload: Bool = false
    ) -> PageReport? {
        pages.withLock { pages in
            let onView = pages.open.firstIndex { $0.session === pages.onView }
            let places = history.settle(&pages.open, onView: onView, isNew: !isRestored, isReload: isReload)
            pages.onView = nil
            let key = Self.key(url)
            let next = pages.open.lastIndex {
                isRestored ? $0.places.contains(history.current) : $0.urls.contains(key)
            }
            guard let next else { return nil }
            var page = pages.open.remove(at: next)
            page.places.formUnion(places)
            pages.onView = page.session
            pages.open.append(page)
            return page.session.report
        }
    }

    public func takeDocument(of url: String, key: String?) -> PageSession? {
        let url = Self.key(url)
        let taken = pages.withLock { pages -> PageSession? in
            let found = pages.open.firstIndex { $0.document == url && $0.session.documentKey == key }
            guard key != nil, let found else { return nil }
            pages.open[found].document = nil
            return pages.open[found].session
        }
        return taken?.hasAnsweredDocument(at: url) == true ? taken : nil
    }

    /// A service worker outlives pages. Its script, and what the script asks for by itself (its imports, what it keeps for
    /// later), come from the version that a page would get now, not from that of the page that registered it.
    /// One that is refused stands in the report of the page that asked for it.
    private func worker(of request: SiteRequest, at url: String) -> PageSession? {
        if request.isWorkerScript {
            let candidates = pages.withLock { $0.open }
            let page = Self.owner(of: request, among: candidates).map { candidates[$0].session }
            if let page, page.isCurrent, page.refusesWorker(request) { return page }
        }
        let script = request.isWorkerScript ? url : request.headers["referer"].map(Self.key)
        guard let script else { return nil }
        return pages.withLock { pages in
            let known = pages.workers.value(for: script)
            guard request.isWorkerScript || known != nil else { return nil }
            if let known, known.isCurrent { return known }
            let session = PageSession(catalog)
            pages.workers.insert(session, for: script)
            return session
        }
    }

    /// The newest page's report; nil before the first page.
    public var lastReport: PageReport? { pages.withLock { $0.open.last?.session.report } }

    /// Forgets all pages: the next request of each gets the newest version.
    public func forgetPages() { pages.withLock { $0.open = [] } }

    private func open(at url: String, isDocument: Bool) -> PageSession {
        let session = PageSession(catalog, documentKey: isDocument ? UUID().uuidString : nil)
        pages.withLock { pages in
            pages.requestCount += 1
            pages.open.append(
                Page(
                    session: session, urls: [url], lastUse: pages.requestCount, document: isDocument ? url : nil))
            guard pages.open.count > maximumPageCount,
                let idle = pages.open.indices.min(by: { pages.open[$0].lastUse < pages.open[$1].lastUse })
            else { return }
            pages.open.remove(at: idle)
        }
        return session
    }

    private static func owner(of request: SiteRequest, among pages: [Page]) -> Int? {
        let referer = request.headers["referer"].map(key)
        let named = pages.indices.reversed().filter { index in referer.map { pages[index].urls.contains($0) } ?? false }
        // Asking each is a decision each; mostly there is one.
        guard named.count > 1 else { return named.first ?? pages.indices.last }
        return named.first { pages[$0].session.has(request) } ?? named.first
    }

    /// An engine says what a request is for in `Sec-Fetch-Dest`; a program that is none, and names no page, wants the
    /// newest version.
    private static func isNavigation(_ request: SiteRequest) -> Bool {
        if let destination = request.headers["sec-fetch-dest"] {
            // A frame belongs to the page that embeds it; opened from elsewhere, it is a page.
            return destination == "document" || (request.wantsPage && request.headers["referer"] == nil)
        }
        return request.headers["referer"] == nil || request.headers["accept"]?.contains("text/html") == true
    }

    /// A frame's document is none: the view shows the page around it.
    private static func isDocument(_ request: SiteRequest) -> Bool {
        ["document", nil].contains(request.headers["sec-fetch-dest"])
    }

    private static func key(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
}
