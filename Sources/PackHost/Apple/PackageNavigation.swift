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
    /// One for each web view. An app with a delegate of its own passes these calls on. It decides nothing: ``PageState``
    /// and the host do.
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
        public var confirmsLoadedPages: Bool {
            get { state.confirmsLoadedPages }
            set { state.confirmsLoadedPages = newValue }
        }
        /// Called for challenges that the system cannot answer, such as the proxy's own certificate.
        public var answersChallenge:
            (@MainActor (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?))?
        /// Called before a navigation to a package in any frame, with nil, and again when the view's own page has its
        /// answer and none of its code has run, with the page that has started, or nil if the device has not answered it.
        /// The place for the page hook.
        public var willShow: (@MainActor (PackageID, StartedPage?) async -> Void)?
        /// Called when a page was left before it ran, because its version is no longer the one to show.
        public var didLeave: (@MainActor (PackageID) -> Void)?
        /// Called when the version of the page on view was confirmed.
        public var didConfirm: (@MainActor (StartedPage) -> Void)?
        /// Called when another page is on view.
        public var didShow: (@MainActor (URL) -> Void)?
        /// The address of the path that the view opens (`PageState.path(of:)`).
        public var startAddress: (@MainActor () -> String)?
        /// Called with what the view downloads. Nil: nothing is downloaded, and such a navigation ends.
        public var didDownload: (@MainActor (WKDownload) -> Void)?
        /// Called when a page does not work, once for each attempt, with the load if it brought no page. A load that was
        /// given up is not told.
        public var didFailPage: (@MainActor (PageFailure, FailedLoad?) -> Void)?
        /// Called when the process of the page is gone: the view is empty until something is loaded. Nil: load the last
        /// page again when somebody sees the view (`PageState.takeEmpty()`); otherwise it has ended again and again.
        public var didEndProcess: (@MainActor (PageFailure?) -> Void)?
        /// Called if the store could not be read or a version could not be confirmed, for the app's log.
        public var didFail: (@MainActor (any Error) -> Void)?
        /// The page on view if the device has answered its document; otherwise nil.
        public var page: StartedPage? { state.pageOnView }
        /// The pages of the view, and what their events mean.
        public var state: PageState

        private let host: PackHost
        private let adapter: Adapter
        private let cookies: CookieKeeper?
        private var history = AppleHistory()
        /// The navigation that has started and is not on view. The end of one that was given up for it may come later.
        private var underWay: WKNavigation?
        private var isReload = false
        /// Whether an answer brings the page that is under way; else WebKit had kept it for back and forward.
        private var isAnswered = false
        /// Of the answer that brings it: a page that a server or the device answers with an error does not work.
        private var status = 0

        /// - Parameters:
        ///   - cookies: The keeper of the app's and the view's cookies; nil if the view has only its own.
        ///   - state: With the package that the view is for, if it is for one.
        public init(
            _ host: PackHost, _ adapter: Adapter, cookies: CookieKeeper? = nil, state: PageState = PageState()
        ) {
            self.host = host
            self.state = state
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
            let schemes = host.packages.settings.schemes
            let found = state.page(confirmedBy: load, from: sender) { package in
                let place = SiteAddress(package: package)
                return ([place.virtualURL] + schemes.map { place.url(scheme: $0) }).map { String($0.dropLast()) }
            }
            guard let page = found else { return false }
            // One that could not be written is written when the page says so again.
            _ = state.becomesReady(page)
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
            let number = state.attempt.number
            let package = host.package(of: url.absoluteString)
            if let package { state.forgetLoad(of: package) }
            do {
                let key = answer?.value(forHTTPHeaderField: PageSession.documentField)
                switch try await host.startPage(at: url.absoluteString, documentKey: key, from: pages) {
                case .foreign: if let package { await willShow?(package, nil) }
                case .started(let page):
                    let isNext = state.answered(by: page, in: number)
                    await willShow?(page.package, isNext ? page : nil)
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
            (isAnswered, status, underWay) = (false, 0, navigation)
            state.started(at: webView.url?.absoluteString ?? "")
            if case .scheme(let handler) = adapter, let url = webView.url { handler.pages.start(url.absoluteString) }
        }

        public func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
        ) {
            let failed = FailedLoad(error)
            if case .scheme(let handler) = adapter { handler.pages.stop(failed.url) }
            guard navigation == nil || navigation === underWay else { return }
            underWay = nil
            ended(failed)
        }

        /// The page has begun and its rest does not come.
        public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            // Another page is about to take its place.
            guard underWay == nil else { return }
            ended(FailedLoad(error, at: webView.url?.absoluteString))
        }

        private func ended(_ failed: FailedLoad) {
            if failed.isGivenUp {
                state.stopped(at: state.attempt.url)
            } else if let failure = state.failed(at: failed.url, failed.reason) {
                didFailPage?(failure, failed)
            }
        }

        public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
            underWay = nil
            didEndProcess?(state.processEnded(at: .now))
        }

        public func webView(
            _ webView: WKWebView, navigationAction: WKNavigationAction, didBecome download: WKDownload
        ) { didDownload?(download) }

        public func webView(
            _ webView: WKWebView, navigationResponse: WKNavigationResponse, didBecome download: WKDownload
        ) { didDownload?(download) }

        public func webView(_ webView: WKWebView, didCommit navigation: WKNavigation!) {
            underWay = nil
            state.committed(at: webView.url?.absoluteString ?? "", isRestored: !isAnswered)
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
            let url = webView.url?.absoluteString ?? ""
            let verdict = state.finished(at: url, status: status, start: startAddress?() ?? "")
            Task {
                // What its scripts have set since.
                await cookies?.takeFromWebView()
                guard case .works(let page) = verdict else { return }
                do {
                    try await host.confirm(page)
                    didConfirm?(page)
                } catch { didFail?(error) }
            }
            switch verdict {
            case .nothing, .works, .lacks: break
            case .opensRoot(let root, _):
                if let url = SentAddress.url(root) { webView.load(URLRequest(url: url)) }
            case .failed(let failure): didFailPage?(failure, nil)
            }
        }

        public func webView(
            _ webView: WKWebView, respondTo challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            await answersChallenge?(challenge) ?? (.performDefaultHandling, nil)
        }
    }
#endif
