import Foundation
import PackFormat
import PackProxy
import PackUpdater
import PackWeb
import WebKit

#if canImport(UIKit)
    import Network
    import UIKit
#endif

/// A screen that shows the package "shop" from the device: by a loopback proxy from iOS 17 on, with everything that a page
/// has on the web.
///
/// 1. The updater is started with the app, before any page.
/// 2. The package is opened, which counts the start of a version that is not confirmed yet.
/// 3. The web view's proxy is ours, and ours is the one certificate that it accepts besides the system's.
/// 4. When the page has loaded, its version is confirmed; updates come in the background.
@MainActor
final class ShopViewController: UIViewController, WKNavigationDelegate {
    private let shop: PackageID
    private let updater: Updater
    private let packages: HostPackages
    private let pages: PageDirectory
    private let proxy: LoopbackProxy
    private let cookies: CookieKeeper
    private let dataStore = WKWebsiteDataStore.default()
    private var access: LoopbackProxy.Access?
    private var webView: WKWebView?
    private var history = AppleHistory()
    /// Whether an answer brings the page that is under way; else WebKit had kept it for back and forward.
    private var isAnswered = false
    private var isRestored = false
    private var isReload = false

    init(store: URL, registry: URL, root: [UInt8]) throws {
        shop = try PackageID("shop")
        // What the system would not load is better read while the app is built than in the field.
        let faults = TransportSecurity(Bundle.main.infoDictionary ?? [:]).faults(of: [registry])
        assert(faults.isEmpty, faults.joined(separator: "\n"))
        updater = try Updater(
            UpdaterConfiguration(store: store, base: registry, channel: ChannelName("stable"), root: root))
        packages = HostPackages(updater: updater)
        cookies = CookieKeeper(
            native: SystemCookieStore(.shared), web: AppleCookieStore(dataStore.httpCookieStore))
        pages = PageDirectory(packages)
        proxy = LoopbackProxy(pages: pages, online: OnlineSession(cookies: cookies))
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        Task { try await show() }
    }

    private func show() async throws {
        try await updater.start()
        // A package that is not here installs itself while it is shown.
        try await packages.open(shop)
        let access = try await proxy.start(hosts: ["\(shop).package"])
        self.access = access
        guard let port = NWEndpoint.Port(rawValue: UInt16(access.port)) else { return }
        let configuration = ProxyConfiguration(httpCONNECTProxy: .hostPort(host: "127.0.0.1", port: port))
        configuration.applyCredential(username: access.user, password: access.password)
        dataStore.proxyConfigurations = [configuration]
        let settings = WKWebViewConfiguration()
        settings.websiteDataStore = dataStore
        let webView = WKWebView(frame: .zero, configuration: settings)
        webView.navigationDelegate = self
        view = webView
        self.webView = webView
        if let url = URL(string: SiteAddress(package: shop).virtualURL) { webView.load(URLRequest(url: url)) }
    }

    // One set of cookies: the app's are there before the page is asked for, those of its answer before it is shown.
    func webView(_ webView: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        if action.targetFrame?.isMainFrame == true { isReload = action.navigationType == .reload }
        await cookies.giveToWebView()
        return .allow
    }

    func webView(
        _ webView: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy {
        if response.isForMainFrame { isAnswered = true }
        await cookies.takeFromWebView()
        return response.canShowMIMEType ? .allow : .cancel
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        isAnswered = false
    }

    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
        isRestored = !isAnswered
        guard let url = webView.url else { return }
        pages.commit(
            url.absoluteString, history: history.read(webView.backForwardList), isRestored: isRestored,
            isReload: isReload)
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        // A page that came back as it was left says nothing about the version that is installed now.
        let session = isRestored ? nil : packages.session(of: shop)
        Task {
            // What its scripts have set since.
            await cookies.takeFromWebView()
            if let session {
                try await updater.confirm(shop, version: session.version, loadToken: session.loadToken)
            }
            try await updater.update(.list([shop]))
        }
    }

    /// Only the proxy's own certificate, and only for a package's host; everything else is the system's business.
    func webView(
        _ webView: WKWebView, respondTo challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.host.hasSuffix(".package"), let trust = challenge.protectionSpace.serverTrust,
            let certificate = SecTrustCopyCertificateChain(trust)?.first, let access,
            Array(SecCertificateCopyData(certificate)) == access.certificateBytes
        else { return (.performDefaultHandling, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }
}
