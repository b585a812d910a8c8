#if canImport(WebKit)
    public import Foundation
    public import PackWeb
    public import WebKit

    /// Connects a `WKWebView`'s custom scheme to the driver, and its navigations to the pages. It makes no decisions.
    ///
    ///     let handler = PackSchemeHandler(catalog: catalog, online: NetworkLoader(cookies: keeper))
    ///     configuration.setURLSchemeHandler(handler, forURLScheme: "h5pack")
    ///     // in the navigation delegate:
    ///     handler.pages.start(url)    // didStartProvisionalNavigation
    ///     handler.commit(webView, isReload: isReload)   // didCommit
    @MainActor
    public final class PackSchemeHandler: NSObject, WKURLSchemeHandler {
        public nonisolated let pages: ViewPages
        private let driver: SchemeTaskDriver
        /// By identity of WebKit's task, which is held while it is here.
        private var tasks: [ObjectIdentifier: AppleSchemeTask] = [:]
        private var history = AppleHistory()

        /// - Parameter bodies: The ``PageBridge``'s store if pages have the hook, because a custom scheme loses the
        ///   bodies of its own requests.
        public init(catalog: any SiteCatalog, online: NetworkLoader, bodies: BodyStore? = nil) {
            pages = ViewPages(catalog)
            driver = SchemeTaskDriver(pages: pages, online: online, bodies: bodies) { .main }
        }

        /// - Parameter driver: with the same pages, and the main thread as its place.
        public init(_ pages: ViewPages, driver: SchemeTaskDriver) {
            self.pages = pages
            self.driver = driver
        }

        public func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
            let id = ObjectIdentifier(urlSchemeTask)
            let task = AppleSchemeTask(urlSchemeTask) { [weak self] in self?.tasks[id] = nil }
            tasks[id] = task
            driver.start(task, request: urlSchemeTask.request)
        }

        public func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
            if let task = tasks.removeValue(forKey: ObjectIdentifier(urlSchemeTask)) { driver.stop(task) }
        }

        /// Call it when the view's page has replaced the previous one.
        /// - Parameter isReload: whether the navigation's type was `reload`.
        public func commit(_ webView: WKWebView, isReload: Bool) {
            guard let url = webView.url else { return }
            pages.commit(
                url.absoluteString, history: history.read(webView.backForwardList), isReload: isReload)
        }

        /// Call it when the web view goes away.
        public func stopAll() {
            driver.stopAll()
            tasks = [:]
        }
    }

    /// A `WKURLSchemeTask`, called on the main thread, where the driver's place is.
    private final class AppleSchemeTask: SchemeTask {
        @MainActor private let task: any WKURLSchemeTask
        private let ended: @MainActor @Sendable () -> Void

        @MainActor
        init(_ task: any WKURLSchemeTask, ended: @escaping @MainActor @Sendable () -> Void) {
            self.task = task
            self.ended = ended
        }

        func receive(_ head: TransferHead) {
            MainActor.assumeIsolated {
                guard let url = task.request.url,
                    let response = HTTPURLResponse(
                        url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: head.headers)
                else { return }
                task.didReceive(response)
            }
        }

        func receive(_ data: Data) { MainActor.assumeIsolated { task.didReceive(data) } }

        func finish() {
            MainActor.assumeIsolated {
                task.didFinish()
                ended()
            }
        }

        func fail(_ error: any Error) {
            MainActor.assumeIsolated {
                task.didFailWithError(error)
                ended()
            }
        }
    }
#endif
