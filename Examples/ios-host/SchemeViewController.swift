import Foundation
import PackFormat
import PackUpdater
import PackWeb
import WebKit

#if canImport(UIKit)
    import UIKit
#endif

/// The same by a custom scheme, for iOS 16 and older: without cookies of its own and service workers.
@MainActor
final class SchemeViewController: UIViewController, WKNavigationDelegate {
    private let shop: PackageID
    private let packages: HostPackages
    private let handler: PackSchemeHandler
    private var isReload = false

    init(shop: PackageID, packages: HostPackages) {
        self.shop = shop
        self.packages = packages
        handler = PackSchemeHandler(catalog: packages, online: OnlineSession())
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let settings = WKWebViewConfiguration()
        settings.setURLSchemeHandler(handler, forURLScheme: HostPackages.scheme)
        let webView = WKWebView(frame: .zero, configuration: settings)
        webView.navigationDelegate = self
        view = webView
        let address = SiteAddress(package: shop).url(scheme: HostPackages.scheme)
        if let url = URL(string: address) { webView.load(URLRequest(url: url)) }
    }

    func webView(_ webView: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy {
        if action.targetFrame?.isMainFrame == true { isReload = action.navigationType == .reload }
        return .allow
    }

    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        if let url = webView.url { handler.pages.start(url.absoluteString) }
    }

    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        if let url = (error as NSError).userInfo[NSURLErrorFailingURLErrorKey] as? URL {
            handler.pages.stop(url.absoluteString)
        }
    }

    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
        handler.commit(webView, isReload: isReload)
    }
}
