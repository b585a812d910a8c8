import PackFormat
public import PackWeb

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Answers a `URLSession`'s requests for packages from the device.
///
///     PackURLProtocol.mount(PageDirectory(catalog))
///     let configuration = URLSessionConfiguration.ephemeral
///     PackURLProtocol.inject(into: configuration)
///
/// Our class is put first, so it is asked before any other on every platform, whatever order the system keeps. It takes a
/// request only if its answer would differ from the network's, so uploads and API calls keep their progress events. It is
/// never registered globally, and requests that it sends go through a ``NetworkLoader``, which does not contain it.
///
/// On Linux (Foundation 6.3) a whole file is handed over at once, because completion handlers there keep the last
/// chunk only, and `downloadTask` does not work with any `URLProtocol`.
public final class PackURLProtocol: URLProtocol, PackageProtocol {
    private struct Mount: Sendable {
        let pages: PageDirectory
        let online: NetworkLoader
        let bodies: BodyStore?
        let callbacks: Callbacks
    }

    /// How a client is called back: what differs between platforms, and what tests set.
    struct Callbacks: Sendable {
        var place: @Sendable () -> CallbackPlace = { .startingThread() }
        /// Whether a redirect is the client's to follow. Foundation on Linux stops the process when it is told of one
        /// (6.3: "doesn't currently handle redirects directly"), so there redirects are followed here.
        var reportsRedirects: Bool = {
            #if canImport(Darwin)
                true
            #else
                false
            #endif
        }()
    }

    private static let mounted = Locked<Mount?>(nil)
    private let transfer = Locked<ResourceLoad?>(nil)

    /// Sets which packages are answered from the device. A second call replaces the first.
    /// - Parameter bodies: The ``PageBridge``'s store if pages have the hook. Requests with a ``RequestTag`` are then
    ///   accepted too, wherever they go.
    public static func mount(
        _ pages: PageDirectory, online: NetworkLoader = NetworkLoader(), bodies: BodyStore? = nil
    ) {
        mount(pages, online: online, bodies: bodies, callbacks: Callbacks())
    }

    static func mount(
        _ pages: PageDirectory, online: NetworkLoader, bodies: BodyStore? = nil, callbacks: Callbacks
    ) {
        mounted.withLock { $0 = Mount(pages: pages, online: online, bodies: bodies, callbacks: callbacks) }
    }

    /// Stops accepting requests.
    public static func unmount() {
        let mount = mounted.withLock { mount in
            defer { mount = nil }
            return mount
        }
        mount?.online.close()
    }

    /// Adds the class as the first of a configuration's protocols, only once however often it is called.
    public static func inject(into configuration: URLSessionConfiguration) {
        let others = (configuration.protocolClasses ?? []).filter { $0 != PackURLProtocol.self }
        configuration.protocolClasses = [PackURLProtocol.self] + others
    }

    override public static func canInit(with request: URLRequest) -> Bool {
        guard let mount = mounted.withLock({ $0 }) else { return false }
        if mount.bodies != nil, let url = request.url, RequestTag.isIn(url.absoluteString) { return true }
        return mount.pages.takes(SiteRequest(request))
    }

    override public static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override public static func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

    override public func startLoading() {
        guard let mount = Self.mounted.withLock({ $0 }), let url = request.url else {
            client?.urlProtocol(self, didFailWithError: WebError.notMounted)
            return
        }
        let page = mount.pages.page(for: SiteRequest(request))
        let relay = URLProtocolClientSink(self, url: url, reportsRedirects: mount.callbacks.reportsRedirects)
        let transfer = ResourceLoad(
            request, on: page, online: mount.online, bodies: mount.bodies, at: mount.callbacks.place(),
            redirect: { relay.follows($0) }, sink: { relay.receive($0) })
        self.transfer.withLock { $0 = transfer }
        transfer.start()
    }

    override public func stopLoading() {
        let transfer = transfer.withLock { transfer in
            defer { transfer = nil }
            return transfer
        }
        transfer?.stop()
    }

    /// The two hold each other until the end, and Foundation on Linux stops no request that has ended.
    func forgetTransfer() { transfer.withLock { $0 = nil } }
}
