public import Foundation
public import PackWeb

/// What a ``PackageView`` is made of.
public struct PackageViewConfiguration: Sendable {
    /// How the view's requests reach the device.
    public enum Transport: Sendable {
        /// `SCHEME://PACKAGE/…` through a scheme handler.
        case scheme(String, SchemeTaskDriver)
        /// `https://PACKAGE.package/…` through a loopback proxy.
        /// - Parameters:
        ///   - address: `http://USER:PASSWORD@127.0.0.1:PORT`
        ///   - certificate: the proxy's own, in PEM, trusted for `hosts` in this view only.
        case proxy(address: String, certificate: String, hosts: [String])
    }

    /// Whose cookies the view takes.
    public enum CookiePolicy: Sendable {
        case all
        /// Of the page's own site: a service on another host gets and sets none.
        case firstPartyOnly
        case none
    }

    public var transport: Transport
    public var cookiePolicy = CookiePolicy.firstPartyOnly
    /// Where the view keeps cookies and storage; nil: in memory. In memory, WebKitGTK 2.50 does not remove service workers
    /// (``PackageView/removeWorkers(of:)``).
    public var dataFolder: URL?
    /// Scripts that run in every frame before the page's own.
    public var startScripts: [String] = []
    /// A certificate in PEM that is accepted from a host, such as one of a company's own.
    public var acceptedCertificates: [String: String] = [:]
    /// Where downloads are kept; nil: they are refused.
    public var downloads: DownloadFolder?
    public var size = (width: 1280, height: 800)
    public var isFullscreen = false
    /// Drawn into memory: there is a display and nobody who looks at it.
    public var isOffscreen = false
    /// Off under a virtual display, where WebKit's compositor draws nothing.
    public var usesHardware = true
    public var showsDeveloperTools = false

    public init(_ transport: Transport) {
        self.transport = transport
    }
}
