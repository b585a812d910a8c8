public import PackFormat
public import PackWeb

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Everything that the pages of one web view need from an app, put together once for all hosts: the network with the
/// app's own answers, cookies, bodies, the page hook and its bridge.
///
///     var configuration = PageServices.Configuration(.scheme("h5pack"))
///     configuration.cookies = SystemCookieStore(.shared)
///     let services = try PageServices(host.packages, configuration) { sender, load in … }
///     services.cookies.attach(store)                         // the view's own cookies
///     services.pages.start(url)                              // and stop, commit: the view's navigations
///     view.run(services.hook(of: shop, load: page.load))     // before each page of a package
///     reply(await services.bridge.reply(to: text, from: sender))
///
/// The kiosk of Linux and `PackageViewController` of Apple's platforms are built on it. A view has one of its own.
public final class PageServices: Sendable {
    /// How the web view reaches the packages.
    public enum Transport: Hashable, Sendable {
        /// By a custom scheme of the app, in lower case.
        case scheme(String)
        /// Through a loopback proxy.
        case proxy
    }

    public struct Configuration: Sendable {
        public let transport: Transport
        /// What the hook does in the first pages. A scheme loses bodies, and a proxy loses nothing.
        public var hook: PageHook.Strategy
        /// The app's own cookies.
        public var cookies: any NativeCookieStore = MemoryCookieStore()
        /// The requests that the app answers itself.
        public var native: NativeAnswers?
        /// Answers the authentication challenges of the requests that the app sends (``NetworkLoader``).
        public var challenged: NetworkLoader.ChallengeAnswer?
        /// Changes or refuses each request that the app sends (``NetworkLoader``).
        public var prepare: @Sendable (URLRequest) -> URLRequest? = { $0 }
        /// Told of each request that the app has sent.
        public var ended: @Sendable (OnlineExchange) -> Void = { _ in }
        /// Whether pages may get plain http from other machines (``PageBridge/Configuration/allowsMixedContent``).
        public var allowsMixedContent = false

        public init(_ transport: Transport) {
            self.transport = transport
            hook = transport == .proxy ? .off : .bodies
        }
    }

    public let transport: Transport
    public let pages: WebViewPages
    public let online: NetworkLoader
    public let cookies: CookieKeeper
    public let bodies = BodyStore()
    public let bridge: PageBridge
    private let catalog: any SiteCatalog
    private let strategy: Locked<PageHook.Strategy>
    private let shown = Locked<String?>(nil)

    /// - Parameters:
    ///   - catalog: the packages of a host.
    ///   - session: how requests are sent (``NetworkLoader``).
    ///   - confirm: called when a page reports through the hook that its version works. The host must decide whether
    ///     the sender may speak for the page on view; an error is the page's answer.
    /// - Throws: `WebError.hookNeedsScheme` for a strategy that the transport does not have.
    public init(
        _ catalog: any SiteCatalog, _ configuration: Configuration, session: URLSessionConfiguration = .ephemeral,
        confirm: @escaping @Sendable (PageBridge.Sender, PageHook.Load) async throws -> Void
    ) throws {
        let transport = configuration.transport
        try Self.check(configuration.hook, transport)
        self.catalog = catalog
        self.transport = transport
        strategy = Locked(configuration.hook)
        cookies = CookieKeeper(native: configuration.cookies)
        online = NetworkLoader(
            session, cookies: cookies, prepare: configuration.prepare, ended: configuration.ended,
            native: configuration.native, challenged: configuration.challenged)
        let pages: WebViewPages =
            transport == .proxy ? .directory(PageDirectory(catalog)) : .view(ViewPages(catalog))
        self.pages = pages
        var bridging = PageBridge.Configuration()
        bridging.cookies = cookies
        bridging.allowsMixedContent = configuration.allowsMixedContent
        // Some views let frames of any origin send messages.
        bridging.admits = { origin in
            catalog.settings.packages.keys.contains { Self.origin(of: $0, transport) == origin }
        }
        bridging.confirm = { sender, package, version, token in
            try await confirm(sender, PageHook.Load(package: package, version: version, token: token))
        }
        bridge = PageBridge(
            pages: { pages.page(for: $0) }, online: online, bodies: bodies, configuration: bridging)
    }

    /// Answers a scheme's tasks.
    /// - Parameter place: asked once for each task: where the engine must be called.
    public func schemeDriver(place: @escaping @Sendable () -> CallbackPlace) -> SchemeTaskDriver {
        SchemeTaskDriver(pages: pages, online: online, bodies: bodies, place: place)
    }

    /// Call it when the view goes away. Requests that are to outlive their page go on.
    public func close() {
        bridge.pageEnded()
        online.close()
    }

    // MARK: The page hook

    /// What the hook does in the pages that start from now on.
    public var hookStrategy: PageHook.Strategy { strategy.withLock { $0 } }

    /// Switches the hook. The page on view keeps what it started with.
    /// - Throws: `WebError.hookNeedsScheme` for body hand-over through a proxy, which loses no body and would not
    ///   give it back.
    public func setHookStrategy(_ strategy: PageHook.Strategy) throws {
        try Self.check(strategy, transport)
        self.strategy.withLock { $0 = strategy }
    }

    private static func check(_ strategy: PageHook.Strategy, _ transport: Transport) throws {
        if transport == .proxy, strategy == .bodies { throw WebError.hookNeedsScheme }
    }

    /// The hook for the next page of a package.
    /// - Parameters:
    ///   - load: the load of its version that the page may confirm; nil: none.
    ///   - name: of the view's message handler.
    public func hook(of package: PackageID, load: PageHook.Load?, handler name: String = "packtool") -> PageHook {
        var hook = PageHook(strategy: hookStrategy, transport: .messageHandler(name))
        let settings = catalog.settings
        let hosts = settings.packages.keys.map { transport == .proxy ? SiteAddress.virtualHost(of: $0) : $0.text }
            .sorted()
        hook.schemes = settings.schemes.sorted()
        // With body hand-over, only what the device gets may be tagged: another server would see the tag.
        hook.hosts = hook.strategy == .full ? nil : hosts
        // A form leads the engine itself to another host, where nobody would take its tag out; and the proxy gets it whole.
        hook.handlesForms = transport != .proxy
        hook.formHosts = hosts
        // Behind the proxy the engine's own cookies work.
        hook.sharesCookies = transport != .proxy
        hook.load = load
        return hook
    }

    // MARK: Addresses

    /// An origin such as `https://shop.package` or `h5pack://shop`.
    public func origin(of package: PackageID) -> String { Self.origin(of: package, transport) }

    private static func origin(of package: PackageID, _ transport: Transport) -> String {
        let place = SiteAddress(package: package)
        let url =
            switch transport {
            case .scheme(let scheme): place.url(scheme: scheme)
            case .proxy: place.virtualURL
            }
        return String(url.dropLast())
    }

    /// The address of the last page of a package that was on view: what an app keeps to open it again after its end.
    /// Nil: none was.
    public var lastPage: String? { shown.withLock { $0 } }

    /// Call it when a page is on view, besides `pages.commit`, and when it has changed its own address.
    public func didShow(_ url: String) {
        let isOwn = catalog.settings.packages.keys.contains { isPage(url, of: $0) }
        if isOwn { shown.withLock { $0 = url } }
    }

    /// The address to open.
    /// - Parameter kept: what ``lastPage`` was in an earlier run. Another package's address, another transport's and
    ///   a foreign one are not opened.
    public func address(of package: PackageID, path: String = "/", restoring kept: String? = nil) -> String {
        if let kept, isPage(kept, of: package) { return kept }
        return origin(of: package) + (path.hasPrefix("/") ? path : "/" + path)
    }

    private func isPage(_ url: String, of package: PackageID) -> Bool {
        url.hasPrefix(origin(of: package) + "/")
    }
}
