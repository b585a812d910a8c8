#if canImport(WebKit)
    public import PackFormat
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
            (@MainActor (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?))?
        /// Called before a navigation to a package in any frame, with nil, and again when the view's own page has its
        /// answer and none of its code has run, with the page that has started. The place for the page hook.
        public var willShow: (@MainActor (PackageID, StartedPage?) async -> Void)?
        /// Called when a page was left before it ran, because its version is no longer the one to show.
        public var didLeave: (@MainActor (PackageID) -> Void)?
        /// Called when the version of the page on view was confirmed.
        public var didConfirm: (@MainActor (StartedPage) -> Void)?
        /// Called when another page is on view.
        public var didShow: (@MainActor (URL) -> Void)?
        /// Called with what the view downloads. Nil: nothing is downloaded, and such a navigation ends.
        public var didDownload: (@MainActor (WKDownload) -> Void)?
        /// Called when a navigation of the main frame brought no page. A load that was given up is not told.
        public var didFailLoad: (@MainActor (FailedLoad) -> Void)?
        /// Called when the process of the page is gone: the view is empty until something is loaded.
        public var didEndProcess: (@MainActor () -> Void)?
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
        /// Of the answer that brings it: a page that a server or the device answers with an error does not work.
        private var status = 0

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
            didConfirm?(page)
            return true
        }

        public func webView(
            _ webView: WKWebView, decidePolicyFor action: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            if action.shouldPerformDownload { return didDownload == nil ? .cancel : .download }
            if action.targetFrame?.isMainFrame == true { isReload = action.navigationType == .reload }
            await cookies?.giveToWebView()
            guard let url = action.request.url, let package = host.package(of: url.absoluteString) else {
                return .allow
            }
            do { try await host.prepareNavigation(to: package) } catch { didFail?(error) }
            await willShow?(package, nil)
            return .allow
        }

        public func webView(
            _ webView: WKWebView, decidePolicyFor response: WKNavigationResponse
        ) async -> WKNavigationResponsePolicy {
            await cookies?.takeFromWebView()
            let answer = response.response as? HTTPURLResponse
            let head = answer.map {
                TransferHead(
                    status: $0.statusCode,
                    headers: ["content-disposition": $0.value(forHTTPHeaderField: "Content-Disposition") ?? ""])
            }
            if !response.canShowMIMEType || head?.isAttachment == true {
                return didDownload == nil ? .cancel : .download
            }
            guard response.isForMainFrame, let url = response.response.url else { return .allow }
            isAnswered = true
            status = answer?.statusCode ?? 0
            do {
                let key = answer?.value(forHTTPHeaderField: PageSession.documentField)
                switch try await host.startPage(at: url.absoluteString, documentKey: key, from: pages) {
                case .foreign: break
                case .started(let page):
                    next = page
                    await willShow?(page.package, page)
                case .outdated(let package, _, _):
                    // None of its code may run.
                    didLeave?(package)
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
            let failed = FailedLoad(error)
            if case .scheme(let handler) = adapter { handler.pages.stop(failed.url) }
            if !failed.isGivenUp { didFailLoad?(failed) }
        }

        /// The page has begun and its rest does not come.
        public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            let failed = FailedLoad(error, at: webView.url?.absoluteString)
            if !failed.isGivenUp { didFailLoad?(failed) }
        }

        public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
            (page, next) = (nil, nil)
            didEndProcess?()
        }

        public func webView(
            _ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload
        ) { didDownload?(download) }

        public func webView(
            _ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload
        ) { didDownload?(download) }

        public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
            // A page that came back as it was left says nothing about the version that is installed now.
            page = isAnswered ? next : nil
            if let url = webView.url { didShow?(url) }
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
            let page = status < 400 ? page : nil
            Task {
                // What its scripts have set since.
                await cookies?.takeFromWebView()
                guard confirmsLoadedPages, let page, page.missingParts.isEmpty else { return }
                do {
                    try await host.confirm(page)
                    didConfirm?(page)
                } catch { didFail?(error) }
            }
        }

        public func webView(
            _ webView: WKWebView, respondTo challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            await answersChallenge?(challenge) ?? (.performDefaultHandling, nil)
        }
    }
#endif
