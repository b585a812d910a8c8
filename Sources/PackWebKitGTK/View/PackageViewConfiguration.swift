public import Foundation
public import PackWebOnline

/// The settings of a ``PackageView``.
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

    /// Which cookies the view accepts.
    public enum CookiePolicy: Sendable {
        case all
        /// Only cookies of the page's own site: a service on another host cannot read or set any.
        case firstPartyOnly
        case none
    }

    public var transport: Transport
    public var cookiePolicy = CookiePolicy.firstPartyOnly
    /// The folder for cookies and storage; nil keeps them in memory. In memory, WebKitGTK 2.50 does not remove
    /// service workers (``PackageView/removeWorkers(of:)``).
    public var dataFolder: URL?
    /// Scripts that run in every frame before the page's own.
    public var startScripts: [String] = []
    /// Certificates in PEM that are accepted from a host, such as a company's own.
    public var acceptedCertificates: [String: String] = [:]
    /// The folder for downloads; nil refuses them.
    public var downloads: DownloadFolder?
    public var size = (width: 1280, height: 800)
    public var isFullscreen = false
    /// Whether the view is drawn into memory: there is a display, but nobody looks at it.
    public var isOffscreen = false
    /// Whether the graphics hardware is used. Switch it off under a virtual display, where WebKit's compositor draws
    /// nothing.
    public var usesHardware = true
    public var showsDeveloperTools = false

    public init(_ transport: Transport) {
        self.transport = transport
    }
}
