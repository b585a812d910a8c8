public import PackFormat
public import PackUpdater
public import PackWeb

/// The packages of a host for browsers, which may have many pages open at once. A cookie names the load of everything
/// that a page loads, so that an update between two requests cannot mix versions.
///
///     let pages = BrowserPages(host)
///     switch try await pages.page(of: shop, for: request, token: cookie) {
///     case .elsewhere(let url): …      // the gate is off: redirect there
///     case .absent(let page): …        // page.answer(request) says why there is no page
///     case .open(let open): …          // open.page.answer(request); set open.session.loadToken as the page's cookie
///     }
///
/// The first page that opens a version which is not confirmed counts as a start; pages and reloads after it belong to that start.
public actor BrowserPages {
    /// The source of an answer.
    public enum Found: Sendable {
        /// The channel's gate is off: the package's own web site has the page.
        case elsewhere(String)
        /// Nothing of the package may be shown, except a page that says why.
        case absent(PageSession)
        case open(OpenPage)
    }

    /// A page and the version that is kept for it.
    public struct OpenPage: Sendable {
        public let session: PackageSession
        /// The pages of this load.
        public let pages: PageDirectory
        public let page: PageSession
    }

    private struct Load {
        let session: PackageSession
        let pages: PageDirectory
        /// Those of the moment at which the page started.
        let rules: WebRules
    }

    /// Loads that are kept; an older page loads anew.
    private static let limit = 32
    /// Beyond it those that ask for nothing are forgotten, and found again by the browsers' next look for a newer
    /// script.
    private static let maximumWorkerCount = 64

    private let host: PackHost
    /// The newest last: what open pages may still ask for.
    private var loads: [Load] = []
    /// The addresses of service workers' scripts: what these ask for names them.
    private var workerScripts = RecentCache<String, Bool>(maximumCount: maximumWorkerCount)

    public init(_ host: PackHost) {
        self.host = host
    }

    /// The page that a request belongs to: the page of the load that the token names, or a new one. A service worker
    /// outlives pages, so its script and its imports come from the active version.
    /// - Parameters:
    ///   - request: with the package's address below `.package`.
    ///   - token: the value of the cookie that was set for the page; nil if the request has none.
    public func page(of package: PackageID, for request: SiteRequest, token: String?) async throws -> Found {
        let load: Load
        if let known = try await known(package, request, token) {
            load = known
        } else {
            try await host.refreshRules()
            switch try await host.updater.open(package) {
            case .unavailable(let absence): return found(absence, of: package, for: request)
            case .installed(let session), .installing(let session): load = try await keep(session)
            }
        }
        return .open(OpenPage(session: load.session, pages: load.pages, page: load.pages.page(for: request)))
    }

    /// The open load that a request belongs to, if there is one.
    private func known(_ package: PackageID, _ request: SiteRequest, _ token: String?) async throws -> Load? {
        if request.isWorkerScript { workerScripts.insert(true, for: request.url) }
        if request.isWorkerScript || workerScripts.value(for: request.headers["referer"] ?? "") != nil {
            // No page starts: where one has the version already, no start is counted for it.
            let active = try await host.updater.status().first { $0.package == package }?.active
            return loads.last { $0.session.package == package && $0.session.version == active }
        }
        guard !request.wantsPage else { return nil }
        return loads.last { $0.session.package == package && $0.session.loadToken == token }
    }

    private func keep(_ session: PackageSession) async throws -> Load {
        let rules = host.packages.settings.rules
        if let known = loads.last(where: { $0.session === session && $0.rules == rules }) { return known }
        // A version that does not change needs one pin, whoever opens it.
        if let same = loads.last(where: {
            $0.session.package == session.package && $0.session.version == session.version && $0.rules == rules
        }),
            try await !isUnconfirmed(session.package)
        {
            return same
        }
        let load = Load(session: session, pages: PageDirectory(OnePackage(session, host.packages)), rules: rules)
        loads = (loads + [load]).suffix(Self.limit)
        return load
    }

    private func isUnconfirmed(_ package: PackageID) async throws -> Bool {
        try await host.updater.status().contains { $0.package == package && !$0.isConfirmed }
    }

    private func found(_ absence: UnavailablePackage, of package: PackageID, for request: SiteRequest) -> Found {
        let root = SiteAddress(package: package).virtualURL
        if let origin = absence.origins.first, request.url.hasPrefix(root) {
            return .elsewhere(origin + request.url.dropFirst(root.count))
        }
        // The rule of all ways into a device says what such a request gets.
        return .absent(PageSession(OnePackage(absence, of: package, host.packages)))
    }
}
