#if canImport(WebKit)
    public import Foundation
    import Network
    public import PackFormat
    public import PackHost
    import PackProxy
    import PackWeb
    import PackWebOnline
    public import WebKit

    #if os(macOS)
        public import AppKit
        /// The superclass of ``PackageViewController`` on this platform.
        public typealias PackagePlatformController = NSViewController
    #else
        #if canImport(UIKit)
            public import UIKit
        #endif
        /// The superclass of ``PackageViewController`` on this platform.
        public typealias PackagePlatformController = UIViewController
    #endif

    /// Shows a package in a `WKWebView`, with everything that its pages need.
    ///
    ///     let host = try PackHost(PackHostConfiguration(updater: updater))
    ///     try await host.start()
    ///     let controller = try PackageViewController(PackageID("shop"), of: host)
    ///     present(controller, animated: true)
    ///
    /// 1. Its way to the device is a loopback proxy or a custom scheme; the page hook, cookies, downloads, the app's own
    ///    answers and challenges are set up by ``PackageViewConfiguration``.
    /// 2. A version that is not confirmed is on trial (`VersionTrial`). It is left if it is late or hangs.
    /// 3. A navigation that fails shows a page that says so. If the system ends the page's process, the last page is
    ///    loaded again.
    ///
    /// It is type-checked on Linux and has not run on a device.
    @MainActor
    open class PackageViewController: PackagePlatformController, WKUIDelegate {
        public let package: PackageID
        public let host: PackHost
        /// What the pages use. The hook is switched here (`setHookStrategy`).
        public let services: PageServices
        /// Told of what happens, for the app's log.
        public var didHappen: (@MainActor (PackageViewEvent) -> Void)?
        public private(set) var webView: WKWebView?

        let configuration: PackageViewConfiguration
        let navigation: PackageNavigation
        let trial: VersionTrial
        let messages: HookMessages
        private let handler: PackSchemeHandler?
        private let downloads: DownloadReceiver?
        private var proxy: LoopbackProxy?
        private var access: LoopbackProxy.Access?
        /// The hook's scripts by package.
        var scripts: [PackageID: String] = [:]
        /// The versions whose service workers the data store may have.
        var seen: SeenVersions

        /// - Throws: `WebError` if the page hook does not go with the transport.
        public init(
            _ package: PackageID, of host: PackHost, _ configuration: PackageViewConfiguration? = nil
        ) throws {
            let configuration = configuration ?? PackageViewConfiguration()
            self.package = package
            self.host = host
            self.configuration = configuration
            let confirmations = Confirmations()
            services = try PageServices(host.packages, configuration.services) { sender, load in
                try await confirmations.confirm(sender, load)
            }
            services.cookies.attach(AppleCookieStore(configuration.dataStore.httpCookieStore))
            seen = SeenVersions(file: configuration.dataStore.versionsFile)
            let home = PageState.Home(
                package: package, origin: services.origin(of: package), path: configuration.path)
            let state = PageState(home, readyTimeout: configuration.readyTimeout)
            switch services.pages {
            case .view(let pages):
                let handler = PackSchemeHandler(pages, driver: services.schemeDriver { .main })
                self.handler = handler
                navigation = PackageNavigation(host, .scheme(handler), cookies: services.cookies, state: state)
            case .directory(let directory):
                handler = nil
                navigation = PackageNavigation(host, .proxy(directory), cookies: services.cookies, state: state)
            }
            trial = VersionTrial(of: package, in: host, readyTimeout: configuration.readyTimeout)
            messages = HookMessages(services.bridge)
            downloads = configuration.downloads.map { DownloadReceiver($0) }
            super.init(nibName: nil, bundle: nil)
            confirmations.owner = self
            connect()
        }

        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        private func connect() {
            trial.view = self
            navigation.confirmsLoadedPages = configuration.confirmsLoadedPages
            navigation.answersChallenge = { [weak self] in
                await self?.answer($0) ?? (.performDefaultHandling, nil)
            }
            navigation.willShow = { [weak self] package, page in await self?.willShow(package, page) }
            navigation.didLeave = { [weak self] left in
                if left == self?.package { self?.trial.abandon() }
            }
            navigation.didConfirm = { [weak self] page in self?.trial.end(page) }
            navigation.didShow = { [weak self] url in self?.services.didShow(url.absoluteString) }
            navigation.startAddress = { [weak self] in self?.startAddress ?? "" }
            navigation.didFailPage = { [weak self] failure, failed in self?.pageFailed(failure, failed) }
            navigation.didEndProcess = { [weak self] failure in self?.processEnded(failure) }
            navigation.didFail = { [weak self] error in self?.didHappen?(.failed(error)) }
            guard let downloads else { return }
            downloads.didEnd = { [weak self] event in self?.didHappen?(event) }
            navigation.didDownload = { download in download.delegate = downloads }
        }

        // MARK: The view

        override open func loadView() { view = makeView() }

        override open func viewDidLoad() {
            super.viewDidLoad()
            Task { await open() }
        }

        #if os(macOS)
            override open func viewWillAppear() {
                super.viewWillAppear()
                showAgain()
            }
        #else
            override open func viewWillAppear(_ animated: Bool) {
                super.viewWillAppear(animated)
                showAgain()
            }
        #endif

        /// Makes a web view with a process of its own.
        func makeView() -> WKWebView {
            let settings = WKWebViewConfiguration()
            settings.websiteDataStore = configuration.dataStore
            if let handler, case .scheme(let scheme) = services.transport {
                settings.setURLSchemeHandler(handler, forURLScheme: scheme)
            }
            settings.userContentController.addScriptMessageHandler(
                messages, contentWorld: .page, name: HookMessages.name)
            configuration.prepareView?(settings)
            let webView = WKWebView(frame: .zero, configuration: settings)
            webView.navigationDelegate = navigation
            webView.uiDelegate = self
            self.webView = webView
            putScripts()
            return webView
        }

        private func open() async {
            await openProxy()
            load(services.address(of: package, path: path, restoring: configuration.lastPage))
        }

        /// The path to open: `/` where the version has nothing at the configured one.
        var path: String { navigation.state.path(of: host.packages.manifest(of: package)?.digest) }

        var startAddress: String { services.address(of: package, path: path) }

        /// Loads an address.
        public func load(_ address: String) {
            guard let url = SentAddress.url(address) else { return }
            webView?.load(URLRequest(url: url))
        }

        /// The address of the last page of a package that was on view: keep it for ``PackageViewConfiguration/lastPage``.
        public var lastPage: String? {
            if let url = webView?.url { services.didShow(url.absoluteString) }
            return services.lastPage
        }

        // MARK: The proxy

        private func openProxy() async {
            guard case .directory(let pages) = services.pages else { return }
            let proxy = LoopbackProxy(pages: pages, online: services.online)
            do {
                let access = try await proxy.start(hosts: [SiteAddress.virtualHost(of: package)])
                guard let number = UInt16(exactly: access.port), let port = NWEndpoint.Port(rawValue: number) else {
                    return
                }
                try use(access, at: .hostPort(host: "127.0.0.1", port: port))
                (self.proxy, self.access) = (proxy, access)
            } catch {
                try? await proxy.stop()
                didHappen?(.failed(error))
            }
        }

        private func use(_ access: LoopbackProxy.Access, at place: NWEndpoint) throws {
            guard #available(iOS 17, macOS 14, *) else { throw ProxyNotSupported() }
            let settings = ProxyConfiguration(httpCONNECTProxy: place)
            settings.applyCredential(username: access.user, password: access.password)
            configuration.dataStore.proxyConfigurations = [settings]
        }

        /// Call it when the scene becomes active. The system may have closed the proxy of a suspended app; then the page
        /// is loaded again through a new one.
        open func resume() async {
            guard let old = proxy, await !old.isListening() else { return }
            let page = lastPage
            try? await old.stop()
            await openProxy()
            load(services.address(of: package, path: path, restoring: page))
        }

        /// Call it when the controller is not shown again.
        public func close() async {
            handler?.stopAll()
            services.close()
            try? await proxy?.stop()
            proxy = nil
        }

        /// The proxy's own certificate, by its bytes and for a package's host; everything else is the app's or the
        /// system's.
        private func answer(
            _ challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            if let access, space.host.hasSuffix("." + SiteAddress.virtualSuffix), let trust = space.serverTrust,
                let certificate = SecTrustCopyCertificateChain(trust)?.first,
                Array(SecCertificateCopyData(certificate)) == access.certificateBytes
            {
                return (.useCredential, URLCredential(trust: trust))
            }
            return await configuration.services.challenged?(challenge) ?? (.performDefaultHandling, nil)
        }

        // MARK: The page hook

        /// Synchronous requests of the hook are prompts.
        open func webView(
            _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
            initiatedByFrame frame: WKFrameInfo
        ) async -> String? {
            guard let text = PageHook.message(inPrompt: prompt, defaultText: defaultText) else {
                return await ask(prompt, defaultText: defaultText)
            }
            return await services.bridge.reply(to: text, from: HookMessages.sender(frame))
        }

        /// A prompt of a page: nothing is shown unless a subclass does. An app's subclass has the other methods of
        /// `WKUIDelegate` too.
        open func ask(_ prompt: String, defaultText: String?) async -> String? { nil }

        // MARK: Failures

        /// A navigation brought no page. Override it to show something else than a page with the reason.
        open func show(_ failed: FailedLoad) {
            guard let url = SentAddress.url(failed.url) else { return }
            navigation.state.showsFailure()
            webView?.loadSimulatedRequest(URLRequest(url: url), responseHTML: failed.page)
        }
    }

    /// Connects the services to the controller, which is made after them.
    @MainActor
    private final class Confirmations {
        weak var owner: PackageViewController?

        func confirm(_ sender: PageBridge.Sender, _ load: PageHook.Load) async throws {
            guard let owner, try await owner.navigation.confirm(load, from: sender.origin) else {
                throw PageNotOnView(load: load)
            }
        }
    }

    /// Web views use a proxy from iOS 17 on.
    private struct ProxyNotSupported: Error, CustomStringConvertible {
        let description = "web views use a proxy from iOS 17 on: show the package by a custom scheme before"
    }

    /// A page has confirmed a version that is not on view.
    private struct PageNotOnView: Error, CustomStringConvertible {
        let load: PageHook.Load
        var description: String { "\(load.package) \(load.version) is not the page on view" }
    }
#endif
