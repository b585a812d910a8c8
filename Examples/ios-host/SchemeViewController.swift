import Foundation
import PackFormat
import PackHost
import PackWeb
import PackWebOnline
import WebKit

#if canImport(UIKit)
    import UIKit
#endif

/// The same by a custom scheme, for iOS 16 too: without cookies of its own and service workers.
///
/// The host is made with this scheme: `PackHostConfiguration(updater: configuration, schemes: [SchemeViewController.scheme])`.
@MainActor
final class SchemeViewController: UIViewController {
    static let scheme = "h5pack"

    private let shop: PackageID
    private let handler: PackSchemeHandler
    private let navigation: PackageNavigation

    init(shop: PackageID, host: PackHost) {
        self.shop = shop
        handler = PackSchemeHandler(catalog: host.packages, online: NetworkLoader())
        navigation = PackageNavigation(host, .scheme(handler))
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let settings = WKWebViewConfiguration()
        settings.setURLSchemeHandler(handler, forURLScheme: Self.scheme)
        let webView = WKWebView(frame: .zero, configuration: settings)
        webView.navigationDelegate = navigation
        view = webView
        let address = SiteAddress(package: shop).url(scheme: Self.scheme)
        if let url = URL(string: address) { webView.load(URLRequest(url: url)) }
    }
}
