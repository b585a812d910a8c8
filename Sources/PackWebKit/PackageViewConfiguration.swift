#if canImport(WebKit)
    public import Foundation
    public import PackHost
    public import PackWebOnline
    public import WebKit

    /// How a ``PackageViewController`` shows its package.
    @MainActor
    public struct PackageViewConfiguration {
        /// The transport, the page hook, the app's cookies, its own answers and its answers to challenges. Challenges
        /// of the web view itself are asked there too.
        public var services: PageServices.Configuration
        /// The path to open.
        public var path = "/"
        /// What ``PackageViewController/lastPage`` was when the app ended; nil opens ``path``.
        public var lastPage: String?
        /// The view's cookies and storage. A proxy is set for the whole store: controllers that share one must not be
        /// shown at the same time.
        public var dataStore = WKWebsiteDataStore.default()
        /// The folder for downloads, which must exist; nil: nothing is downloaded.
        public var downloads: URL?
        /// Scripts of the app in all frames, after the page hook and before a page's own.
        public var startScripts: [String] = []
        /// Whether a page counts as working when it has loaded with all its scripts and styles. If it is false, the
        /// page must say so itself, by `packtool.confirm()`.
        public var confirmsLoadedPages = true
        /// How long a version may take to be confirmed if the updater has no `readyDeadline`.
        public var readyTimeout = Duration.seconds(30)
        /// Changes what the web view is made of, before each is made.
        public var prepareView: (@MainActor (WKWebViewConfiguration) -> Void)?

        /// The proxy needs iOS 17 or macOS 14; a scheme must be one of the host's (`PackHostConfiguration.schemes`).
        public init(_ transport: PageServices.Transport = .proxy) {
            services = PageServices.Configuration(transport)
            // The app's other requests have them too.
            services.cookies = SystemCookieStore(.shared)
        }
    }

    /// What a controller tells its app.
    public enum PackageViewEvent: Sendable {
        /// A version did not work, and another one is shown.
        case wentBack(WentBack)
        /// A file was saved.
        case saved(URL)
        /// A file was not saved.
        case notSaved(reason: String)
        /// The store could not be read, a version not confirmed, a navigation or the proxy failed. It is for the
        /// app's log.
        case failed(any Error)
    }
#endif
