import CWebKitGTK
import Foundation
import PackWeb
import PackWebOnline

/// A window with a WebKitGTK view that shows packages from the device.
///
///     let view = PackageView(configuration)
///     view.willNavigate = { url in … }     // the moment to open the package's newest version
///     view.didChange = { event in … }
///     view.load("https://checkout.package/")
@MainActor
public final class PackageView {
    public enum Event: Sendable, Equatable {
        case started(url: String)
        /// The new page has replaced the old one. A restored page was kept unchanged for back and forward: none of
        /// its parts was requested again, and no script has started. A reload loads the page on view again.
        case committed(url: String, isRestored: Bool, isReload: Bool)
        /// The page and all its parts are loaded. The status is 0 if the page was not loaded over HTTP.
        case finished(url: String, status: Int)
        case failed(url: String, reason: String)
        /// The load was stopped by the user, the app or a newer load, or became a download. No page has failed: until
        /// ``committed(url:isRestored:isReload:)`` the previous one stays on view.
        case stopped(url: String)
        /// The page's process has ended.
        case crashed(reason: String)
        /// A message of the page, `webkit.messageHandlers.packtool.postMessage(…)`, as JSON. Messages of frames in it
        /// are dropped: WebKitGTK does not say which frame sends them, and any may be a foreign one.
        case message(json: String, pageURL: String)
    }

    /// The answer of a navigation.
    public struct Answer: Sendable, Hashable {
        public let url: String
        /// Whether it is the view's own page, and neither a page of a frame nor a download.
        public let isPage: Bool
        /// Its field `PageSession.documentField`.
        public let documentKey: String?
    }

    /// Called before a navigation in any frame, which waits for it. WebKitGTK does not say in which frame.
    public var willNavigate: (@MainActor (String) async -> Void)?
    /// Called when a navigation's answer is there, with its cookies, and none of the page's code has run; the
    /// navigation waits for it. If it returns false, the page is not shown.
    public var willShow: (@MainActor (Answer) async -> Bool)?
    public var didChange: (@MainActor (Event) -> Void)?
    /// Called when a page requests another window. If it returns true, the address opens in this view instead of the
    /// page. If it returns false or is nil, nothing opens. In both cases `window.open()` returns null to the page.
    public var takesWindow: (@MainActor (NewWindow) -> Bool)?
    /// Called for each download when it begins and when it has ended.
    public var didDownload: (@MainActor (Download) -> Void)?

    let context: UnsafeMutablePointer<WebKitWebContext>
    let view: UnsafeMutablePointer<WebKitWebView>
    let content: UnsafeMutablePointer<WebKitUserContentManager>
    let window: UnsafeMutablePointer<GtkWidget>
    private let acceptedCertificates: [String: String]
    private let proxyCertificate: String?
    let startScripts: [String]
    /// What the view's own frame says with each message, and no other frame knows.
    let pageKey = PageKey()
    /// By origin.
    var doors: [String: HookMessageHandler] = [:]
    /// WebKit says that a load has finished also where it failed.
    var loadHasFailed = false
    /// After a failure WebKit loads a page of its own, which says so: its start and its end are nobody's success.
    var expectsErrorPage = false
    var isErrorPage = false
    /// The address of the page on view, and the last one that any frame was allowed to go to.
    var committedURL: String?
    var allowedURL: String?
    /// Whether an answer brings the page that is under way.
    var isAnswered = false
    /// Whether the page that is under way is the one on view, and whether that was what was allowed last.
    var isReload = false
    var allowsReload = false
    /// Of the history's places: the number of the latest.
    var placeCount = 0
    /// Whether the app itself is ending the page's process.
    var isEndingPage = false
    private var downloads: DownloadDoor?
    private var isClosed = false

    /// - Returns: Nil if the view cannot be created, because there is no display.
    public init?(_ configuration: PackageViewConfiguration) {
        let folder = configuration.dataFolder?.path
        let cache = configuration.dataFolder?.appendingPathComponent("cache").path
        guard MainLoop.start(), let context = pack_web_context_new(folder, cache),
            let content = webkit_user_content_manager_new(), let view = pack_web_view_new(context, content),
            let window = configuration.isOffscreen
                ? pack_offscreen_window_new() : gtk_window_new(GTK_WINDOW_TOPLEVEL)
        else { return nil }
        (self.context, self.content, self.view, self.window) = (context, content, view, window)
        acceptedCertificates = configuration.acceptedCertificates
        startScripts = configuration.startScripts
        if case .proxy(_, let certificate, _) = configuration.transport {
            proxyCertificate = certificate
        } else {
            proxyCertificate = nil
        }
        prepareContext(configuration)
        putScripts()
        webkit_user_content_manager_register_script_message_handler(content, "packtool")
        prepareSettings(configuration)
        connect()
        let scheme: String? = if case .scheme(let name, _) = configuration.transport { name } else { nil }
        downloads = DownloadDoor(configuration.downloads, unreachable: scheme) { [weak self] download in
            self?.didDownload?(download)
        }
        downloads?.open(context)
        gtk_container_add(pack_container(window), pack_widget(view))
        gtk_window_set_default_size(
            pack_window(window), gint(configuration.size.width), gint(configuration.size.height))
        if configuration.isFullscreen { gtk_window_fullscreen(pack_window(window)) }
        gtk_widget_show_all(window)
    }

    public func load(_ url: String) {
        expectsErrorPage = false
        webkit_web_view_load_uri(view, url)
    }
    public func reload() { webkit_web_view_reload(view) }
    public func stopLoading() { webkit_web_view_stop_loading(view) }
    public func goBack() { webkit_web_view_go_back(view) }
    public func goForward() { webkit_web_view_go_forward(view) }
    public var url: String? { webkit_web_view_get_uri(view).map { String(cString: $0) } }
    public var title: String? { webkit_web_view_get_title(view).map { String(cString: $0) } }

    /// - Returns: whether nothing is downloaded from there; it has been told then.
    func refusesDownload(_ url: String) -> Bool { downloads?.refuses(url) ?? true }

    /// Accepts the proxy's certificate from more hosts: packages that were not known at the start.
    public func acceptProxyCertificate(from hosts: [String]) {
        guard let proxyCertificate else { return }
        for host in hosts { accept(proxyCertificate, from: host) }
    }

    /// Closes the window and ends the page's process.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        closeDoors()
        let data = Unmanaged.passUnretained(self).toOpaque()
        pack_disconnect_all(view, data)
        pack_disconnect_all(content, data)
        pack_disconnect_all(window, data)
        downloads?.close(context)
        gtk_widget_destroy(window)
        g_object_unref(content)
        g_object_unref(context)
    }

    private func prepareContext(_ configuration: PackageViewConfiguration) {
        let manager = webkit_web_context_get_website_data_manager(context)
        let policy =
            switch configuration.cookiePolicy {
            case .all: WEBKIT_COOKIE_POLICY_ACCEPT_ALWAYS
            case .firstPartyOnly: WEBKIT_COOKIE_POLICY_ACCEPT_NO_THIRD_PARTY
            case .none: WEBKIT_COOKIE_POLICY_ACCEPT_NEVER
            }
        webkit_cookie_manager_set_accept_policy(webkit_web_context_get_cookie_manager(context), policy)
        // Else WebKit's own rule for third parties stands before the policy.
        if configuration.cookiePolicy == .all { webkit_website_data_manager_set_itp_enabled(manager, 0) }
        if let folder = configuration.dataFolder {
            let file = folder.appendingPathComponent("cookies.sqlite").path
            webkit_cookie_manager_set_persistent_storage(
                webkit_web_context_get_cookie_manager(context), file, WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE)
        }
        for (host, certificate) in acceptedCertificates { accept(certificate, from: host) }
        switch configuration.transport {
        case .scheme(let scheme, let driver):
            // Kept by the context.
            _ = PackageScheme(scheme, driver: driver, in: context)
        case .proxy(let address, let certificate, let hosts):
            let settings = webkit_network_proxy_settings_new(address, nil)
            webkit_website_data_manager_set_network_proxy_settings(
                manager, WEBKIT_NETWORK_PROXY_MODE_CUSTOM, settings)
            webkit_network_proxy_settings_free(settings)
            for host in hosts { accept(certificate, from: host) }
        }
    }

    private func accept(_ certificate: String, from host: String) {
        var fault: UnsafeMutablePointer<GError>?
        guard let value = g_tls_certificate_new_from_pem(certificate, -1, &fault) else {
            if let fault { g_error_free(fault) }
            return
        }
        webkit_web_context_allow_tls_certificate_for_host(context, value, host)
        g_object_unref(value)
    }

    private func prepareSettings(_ configuration: PackageViewConfiguration) {
        let settings = webkit_web_view_get_settings(view)
        if !configuration.usesHardware {
            webkit_settings_set_hardware_acceleration_policy(settings, WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER)
        }
        webkit_settings_set_enable_developer_extras(settings, configuration.showsDeveloperTools ? 1 : 0)
        webkit_settings_set_enable_write_console_messages_to_stdout(
            settings, configuration.showsDeveloperTools ? 1 : 0)
        webkit_settings_set_media_playback_requires_user_gesture(settings, 0)
    }
}
