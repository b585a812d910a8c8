// What our Apple files use of WebKit, so that they are type-checked on Linux. Declarations only.
@_exported import Foundation
@_exported import FoundationNetworking

// A web view is a view of the platform. scripts/check-apple.py makes the module twice, for macOS with this flag.
#if AS_ON_MACOS
    @_exported public import AppKit
    public typealias PlatformView = NSView
#else
    public typealias PlatformView = UIView
#endif

@MainActor public protocol WKURLSchemeTask: AnyObject {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

@MainActor public protocol WKURLSchemeHandler: AnyObject {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

@MainActor public final class WKHTTPCookieStore: NSObject {
    public func allCookies() async -> [HTTPCookie] { [] }
    public func setCookie(_ cookie: HTTPCookie) async {}
    public func deleteCookie(_ cookie: HTTPCookie) async {}
}

@MainActor public final class WKWebsiteDataStore: NSObject {
    public static func `default`() -> WKWebsiteDataStore { WKWebsiteDataStore() }
    public var isPersistent: Bool { true }
    @available(iOS 17.0, macOS 14.0, *)
    public var identifier: UUID? { nil }
    public var httpCookieStore: WKHTTPCookieStore { WKHTTPCookieStore() }
    @available(iOS 17.0, macOS 14.0, *)
    public var proxyConfigurations: [ProxyConfiguration] {
        get { [] }
        set {}
    }
    public func dataRecords(ofTypes dataTypes: Set<String>) async -> [WKWebsiteDataRecord] { [] }
    public func removeData(ofTypes dataTypes: Set<String>, for dataRecords: [WKWebsiteDataRecord]) async {}
    public func removeData(ofTypes dataTypes: Set<String>, modifiedSince date: Date) async {}
}

@MainActor public final class WKWebsiteDataRecord: NSObject {
    public var displayName: String { "" }
}

public let WKWebsiteDataTypeFetchCache = "WKWebsiteDataTypeFetchCache"
public let WKWebsiteDataTypeServiceWorkerRegistrations = "WKWebsiteDataTypeServiceWorkerRegistrations"

@MainActor public final class WKUserScript: NSObject {
    public enum InjectionTime: Int { case atDocumentStart, atDocumentEnd }
    public init(source: String, injectionTime: InjectionTime, forMainFrameOnly: Bool) {}
}

@MainActor public final class WKContentWorld: NSObject {
    public class var page: WKContentWorld { WKContentWorld() }
    public static func world(name: String) -> WKContentWorld { WKContentWorld() }
}

@MainActor public final class WKSecurityOrigin: NSObject {
    public var `protocol`: String { "" }
    public var host: String { "" }
    public var port: Int { 0 }
}

@MainActor public final class WKScriptMessage: NSObject {
    public var body: Any { 0 }
    public var name: String { "" }
    public var frameInfo: WKFrameInfo { WKFrameInfo() }
}

@MainActor public protocol WKScriptMessageHandlerWithReply: AnyObject {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) async -> (Any?, String?)
}

@MainActor public protocol WKScriptMessageHandler: AnyObject {
    func userContentController(_ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor public final class WKUserContentController: NSObject {
    public func addUserScript(_ script: WKUserScript) {}
    public func removeAllUserScripts() {}
    public func addScriptMessageHandler(
        _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply, contentWorld: WKContentWorld, name: String
    ) {}
    public func removeScriptMessageHandler(forName name: String, contentWorld: WKContentWorld) {}
    public func add(_ handler: any WKScriptMessageHandler, name: String) {}
}

@MainActor public final class WKWebViewConfiguration: NSObject {
    public override init() {}
    public var websiteDataStore = WKWebsiteDataStore.default()
    public var userContentController = WKUserContentController()
    public func setURLSchemeHandler(_ handler: (any WKURLSchemeHandler)?, forURLScheme scheme: String) {}
}

public final class WKNavigation: NSObject {}
@MainActor public final class WKBackForwardListItem: NSObject {}
@MainActor public final class WKBackForwardList: NSObject {
    public var currentItem: WKBackForwardListItem? { nil }
    public var backList: [WKBackForwardListItem] { [] }
    public var forwardList: [WKBackForwardListItem] { [] }
}
@MainActor public final class WKFrameInfo: NSObject {
    public var isMainFrame: Bool { true }
    public var request: URLRequest { fatalError() }
    public var securityOrigin: WKSecurityOrigin { WKSecurityOrigin() }
}
public enum WKNavigationType: Int, Sendable { case reload, other = -1 }
@MainActor public final class WKNavigationAction: NSObject {
    public var request: URLRequest { fatalError() }
    public var targetFrame: WKFrameInfo? { nil }
    public var navigationType: WKNavigationType { .other }
    public var shouldPerformDownload: Bool { false }
}
public enum WKNavigationActionPolicy: Int, Sendable { case cancel, allow, download }
@MainActor public final class WKNavigationResponse: NSObject {
    public var response: URLResponse { fatalError() }
    public var canShowMIMEType: Bool { true }
    public var isForMainFrame: Bool { true }
}
public enum WKNavigationResponsePolicy: Int, Sendable { case cancel, allow, download }

@MainActor public final class WKDownload: NSObject {
    public var originalRequest: URLRequest? { nil }
    public weak var delegate: (any WKDownloadDelegate)?
}
@MainActor public protocol WKDownloadDelegate: AnyObject {
    func download(
        _ download: WKDownload, decideDestinationUsing response: URLResponse, suggestedFilename: String
    ) async -> URL?
    func downloadDidFinish(_ download: WKDownload)
    func download(_ download: WKDownload, didFailWithError error: any Error, resumeData: Data?)
}

@MainActor public protocol WKUIDelegate: AnyObject {
    func webView(
        _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
        initiatedByFrame frame: WKFrameInfo
    ) async -> String?
}

@MainActor public protocol WKNavigationDelegate: AnyObject {
    func webView(_ webView: WKWebView, decidePolicyFor action: WKNavigationAction) async -> WKNavigationActionPolicy
    func webView(
        _ webView: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy
    func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!)
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
    func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!)
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
    func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
    func webView(_ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload)
    func webView(_ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload)
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    func webView(
        _ webView: WKWebView, respondTo challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension WKNavigationDelegate {
    public func webView(
        _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
    ) async -> WKNavigationActionPolicy { .allow }
    public func webView(
        _ webView: WKWebView, decidePolicyFor response: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy { .allow }
    public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {}
    public func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {}
    public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {}
    public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {}
    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {}
    public func webView(
        _ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload
    ) {}
    public func webView(
        _ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload
    ) {}
    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {}
    public func webView(
        _ webView: WKWebView, respondTo challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
}

@MainActor public final class WKWebView: PlatformView {
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    public weak var uiDelegate: (any WKUIDelegate)?
    public let configuration: WKWebViewConfiguration
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { self.configuration = configuration }
    public var url: URL? { nil }
    public var backForwardList: WKBackForwardList { fatalError() }
    @discardableResult public func load(_ request: URLRequest) -> WKNavigation? { nil }
    @discardableResult
    public func loadSimulatedRequest(_ request: URLRequest, responseHTML string: String) -> WKNavigation {
        WKNavigation()
    }
    public func stopLoading() {}
    public func evaluateJavaScript(
        _ javaScriptString: String, completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
    ) {}
}

// UIKit, as far as the controller and the example host app use it.
#if !AS_ON_MACOS
    @MainActor open class UIWindow: NSObject {}
    @MainActor open class UIView: NSObject {
        public override init() {}
        public var window: UIWindow? { nil }
    }
    @MainActor public final class UIDevice: NSObject {
        public static let current = UIDevice()
        public var systemVersion: String { "" }
    }

    @MainActor open class UIViewController: NSObject {
        public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {}
        public required init?(coder: NSCoder) { nil }
        public var view: UIView! = UIView()
        public var viewIfLoaded: UIView? { nil }
        open func loadView() {}
        open func viewDidLoad() {}
        open func viewWillAppear(_ animated: Bool) {}
    }
#endif

// Network and Security, as far as the controller uses them.
public enum NWEndpoint: Sendable {
    public struct Host: Sendable, ExpressibleByStringLiteral { public init(stringLiteral value: String) {} }
    public struct Port: Sendable { public init?(rawValue: UInt16) {} }
    case hostPort(host: Host, port: Port)
}

@available(iOS 17.0, macOS 14.0, *)
public struct ProxyConfiguration: Sendable {
    public init(httpCONNECTProxy endpoint: NWEndpoint) {}
    public func applyCredential(username: String, password: String) {}
}

public struct SecTrust: Sendable {}
public struct SecCertificate: Sendable {}
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [SecCertificate]? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { Data() }

extension URLProtectionSpace { public var serverTrust: SecTrust? { nil } }
extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}
