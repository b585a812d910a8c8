#if canImport(WebKit)
    public import PackWeb
    public import PackWebOnline
    public import WebKit

    /// Reports the navigations of a `WKWebView` to a host: what to prepare before them, which pages start, and which
    /// work.
    ///
    ///     let navigation = PackageNavigation(host, .scheme(handler), cookies: keeper)
    ///     webView.navigationDelegate = navigation        // weak: keep it
    ///     webView.load(URLRequest(url: address))
    ///
    /// One for each web view. An app with a delegate of its own passes these calls on. It decides nothing: the host does.
    @MainActor
    public final class PackageNavigation: NSObject, WKNavigationDelegate {
        /// How the web view reaches the packages.
        public enum Adapter: Sendable {
            case scheme(PackSchemeHandler)
            /// Through the loopback proxy, with the pages that the proxy was made with.
            case proxy(PageDirectory)
        }

        /// Whether a page counts as working when it has loaded with all its scripts and styles. If it is false, the
        /// page must say so itself, by the page hook (``confirm(_:from:)``).
        public var confirmsLoadedPages = true
        /// Called for challenges that the system cannot answer, such as the proxy's own certificate.
        public var answersChallenge:
            (@MainActor (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?))?
        /// Called if the store could not be read or a version could not be confirmed, for the app's log.
        public var didFail: (@MainActor (any Error) -> Void)?
        /// The page on view if the device has answered its document; otherwise nil.
        public private(set) var page: StartedPage?

        private let host: PackHost
        private let adapter: Adapter
        private let cookies: CookieKeeper?
        private var history = AppleHistory()
        /// The page whose answer is there, until it is on view.
        private var next: StartedPage?
        private var isReload = false
        /// Whether an answer brings the page that is under way; else WebKit had kept it for back and forward.
        private var isAnswered = false

        /// - Parameter cookies: The keeper of the app's and the view's cookies; nil if the view has only its own.
        public init(_ host: PackHost, _ adapter: Adapter, cookies: CookieKeeper? = nil) {
            self.host = host
            self.adapter = adapter
            self.cookies = cookies
            super.init()
        }

        private var pages: any PageSource {
            switch adapter {
            case .scheme(let handler): handler.pages
            case .proxy(let directory): directory
            }
        }

        /// Called when a page reports through the page hook that its version works.
        /// - Parameters:
        ///   - load: the load that the page reported.
        ///   - sender: the origin of the frame that it came from, such as `https://shop.package`.
        /// - Returns: whether it is the page on view.
        public func confirm(_ load: PageHook.Load, from sender: String) async throws -> Bool {
            guard let page else { return false }
            let place = SiteAddress(package: page.package)
            var origins = [place.virtualURL] + host.packages.settings.schemes.map { place.url(scheme: $0) }
            origins = origins.map { String($0.dropLast()) }
            guard origins.contains(where: { page.isConfirmed(by: load, from: sender, origin: $0) }) else {
                return false
            }
            try await host.confirm(page)
            return true
        }

        public func webView(
            _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            if action.targetFrame?.isMainFrame == true { isReload = action.navigationType == .reload }
            await cookies?.giveToWebView()
            guard let url = action.request.url, let package = host.package(of: url.absoluteString) else {
                return .allow
            }
            do { try await host.prepareNavigation(to: package) } catch { didFail?(error) }
            return .allow
        }

        public func webView(
            _ webView: WKWebView, decidePolicyFor response: WKNavigationResponse
        ) async -> WKNavigationResponsePolicy {
            await cookies?.takeFromWebView()
            guard response.canShowMIMEType else { return .cancel }
            guard response.isForMainFrame, let url = response.response.url else { return .allow }
            isAnswered = true
            do {
                let key = (response.response as? HTTPURLResponse)?
                    .value(forHTTPHeaderField: PageSession.documentField)
                switch try await host.startPage(at: url.absoluteString, documentKey: key, from: pages) {
                case .foreign: break
                case .started(let page): next = page
                case .outdated:
                    // None of its code may run.
                    webView.load(URLRequest(url: url))
                    return .cancel
                }
            } catch {
                didFail?(error)
            }
            return .allow
        }

        public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
            isAnswered = false
            next = nil
            if case .scheme(let handler) = adapter, let url = webView.url { handler.pages.start(url.absoluteString) }
        }

        public func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
        ) {
            guard case .scheme(let handler) = adapter,
                let url = (error as NSError).userInfo[NSURLErrorFailingURLErrorKey] as? URL
            else { return }
            handler.pages.stop(url.absoluteString)
        }

        public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
            // A page that came back as it was left says nothing about the version that is installed now.
            page = isAnswered ? next : nil
            switch adapter {
            case .scheme(let handler): handler.commit(webView, isReload: isReload)
            case .proxy(let directory):
                guard let url = webView.url else { return }
                directory.commit(
                    url.absoluteString, history: history.read(webView.backForwardList), isRestored: !isAnswered,
                    isReload: isReload)
            }
        }

        public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
            let page = page
            Task {
                // What its scripts have set since.
                await cookies?.takeFromWebView()
                guard confirmsLoadedPages, let page, page.missingParts.isEmpty else { return }
                do { try await host.confirm(page) } catch { didFail?(error) }
            }
        }

        public func webView(
            _ webView: WKWebView, respondTo challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            answersChallenge?(challenge) ?? (.performDefaultHandling, nil)
        }
    }
#endif
