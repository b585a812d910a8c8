import Foundation
import Network
import PackFormat
import PackHost
import PackProxy
import PackUpdater
import PackUpdaterOnline
import PackWeb
import PackWebOnline
import WebKit

#if canImport(UIKit)
    import UIKit
#endif

/// A screen that shows the package "shop" from the device: by a loopback proxy from iOS 17 on, with everything that a page
/// has on the web.
///
/// 1. The host is started with the app, before any page.
/// 2. The web view's proxy is ours, and ours is the one certificate that it accepts besides the system's.
/// 3. The host is told of each navigation: it counts the start of a version that is not confirmed yet, and takes the page's
///    load for its confirmation.
/// 4. Updates come in the background.
@available(iOS 17.0, *)
@MainActor
final class ShopViewController: UIViewController {
    private let shop: PackageID
    private let host: PackHost
    private let proxy: LoopbackProxy
    private let navigation: PackageNavigation
    private let dataStore = WKWebsiteDataStore.default()
    private let monitor = NWPathMonitor()
    private var scheduler: UpdateScheduler?

    init(store: URL, registry: URL, root: [UInt8]) throws {
        shop = try PackageID("shop")
        // What the system would not load is better read while the app is built than in the field.
        let faults = TransportSecurity(Bundle.main.infoDictionary ?? [:]).faults(of: [registry])
        assert(faults.isEmpty, faults.joined(separator: "\n"))
        var updater = UpdaterConfiguration(
            store: store, base: registry, channel: try ChannelName("stable"), root: root)
        Self.tellFacts(to: &updater, monitor)
        host = try PackHost(PackHostConfiguration(updater: updater))
        let cookies = CookieKeeper(
            native: SystemCookieStore(.shared), web: AppleCookieStore(dataStore.httpCookieStore))
        let pages = PageDirectory(host.packages)
        proxy = LoopbackProxy(pages: pages, online: NetworkLoader(cookies: cookies))
        navigation = PackageNavigation(host, .proxy(pages), cookies: cookies)
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        Task { try await show() }
    }

    private func show() async throws {
        try await host.start()
        let access = try await proxy.start(hosts: ["\(shop).package"])
        guard let port = NWEndpoint.Port(rawValue: UInt16(access.port)) else { return }
        let configuration = ProxyConfiguration(httpCONNECTProxy: .hostPort(host: "127.0.0.1", port: port))
        configuration.applyCredential(username: access.user, password: access.password)
        dataStore.proxyConfigurations = [configuration]
        let settings = WKWebViewConfiguration()
        settings.websiteDataStore = dataStore
        let webView = WKWebView(frame: .zero, configuration: settings)
        navigation.answersChallenge = { Self.answer($0, access) }
        webView.navigationDelegate = navigation
        view = webView
        // A package that is not here installs itself while it is shown.
        if let url = URL(string: SiteAddress(package: shop).virtualURL) { webView.load(URLRequest(url: url)) }
        // As often as the channel says; the page that people wait for comes first.
        let scheduler = host.scheduler(.list([shop]))
        self.scheduler = scheduler
        await scheduler.start()
    }

    /// What rollouts may ask for.
    private static func tellFacts(to updater: inout UpdaterConfiguration, _ monitor: NWPathMonitor) {
        let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        updater.appVersion = version.flatMap { try? AppVersion($0) }
        updater.platform = "ios"
        updater.osVersion = try? AppVersion(UIDevice.current.systemVersion)
        updater.locale = Locale.current.identifier(.bcp47)
        updater.region = Locale.current.region?.identifier
        monitor.start(queue: .global(qos: .utility))
        updater.network = {
            let path = monitor.currentPath
            return path.status == .satisfied ? path.isExpensive ? .metered : .unmetered : nil
        }
    }

    /// To be called when the scene becomes active.
    func resume() {
        Task { await scheduler?.resume() }
    }

    /// Only the proxy's own certificate, and only for a package's host; everything else is the system's business.
    private static func answer(
        _ challenge: URLAuthenticationChallenge, _ access: LoopbackProxy.Access
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.host.hasSuffix(".package"), let trust = challenge.protectionSpace.serverTrust,
            let certificate = SecTrustCopyCertificateChain(trust)?.first,
            Array(SecCertificateCopyData(certificate)) == access.certificateBytes
        else { return (.performDefaultHandling, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }
}
