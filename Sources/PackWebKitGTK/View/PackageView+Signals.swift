import CWebKitGTK
import Foundation
import PackWeb

/// GTK's signals as events. Each handler runs on the main thread with the view as its data.
extension PackageView {
    func connect() {
        let data = Unmanaged.passUnretained(self).toOpaque()
        let changed: @convention(c) (gpointer, UInt32, gpointer) -> Void = { _, event, data in
            PackageView.of(data) { $0.loadChanged(WebKitLoadEvent(rawValue: event)) }
        }
        let failed:
            @convention(c) (
                gpointer, UInt32, UnsafePointer<CChar>?, UnsafeMutablePointer<GError>?, gpointer
            ) -> gboolean = { _, _, url, error, data in
                let url = url.map { String(cString: $0) } ?? ""
                let reason = error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? ""
                let isStopped = isNoFailure(error)
                PackageView.of(data) { $0.didFail(url, isStopped ? nil : reason) }
                return 0
            }
        let policy: @convention(c) (gpointer, gpointer, UInt32, gpointer) -> gboolean = { _, decision, type, data in
            nonisolated(unsafe) let decision = decision
            return PackageView.of(data) {
                $0.decide(decision, type: WebKitPolicyDecisionType(rawValue: type)) ? 1 : 0
            }
        }
        let crashed: @convention(c) (gpointer, UInt32, gpointer) -> Void = { _, reason, data in
            PackageView.of(data) { $0.didCrash(WebKitWebProcessTerminationReason(rawValue: reason)) }
        }
        let message: @convention(c) (gpointer, OpaquePointer, gpointer) -> Void = { _, result, data in
            let text = jsc_value_to_json(webkit_javascript_result_get_js_value(result), 0)
            let json = text.map { String(cString: $0) } ?? "null"
            g_free(text)
            PackageView.of(data) { $0.didSay(json) }
        }
        let asked: @convention(c) (gpointer, OpaquePointer, gpointer) -> gboolean = { _, dialog, data in
            nonisolated(unsafe) let dialog = dialog
            return PackageView.of(data) { $0.takesPrompt(dialog) ? 1 : 0 }
        }
        let closed: @convention(c) (gpointer, gpointer) -> Void = { _, _ in
            MainActor.assumeIsolated { MainLoop.quit() }
        }
        pack_connect(view, "load-changed", unsafeBitCast(changed, to: gpointer.self), data)
        pack_connect(view, "load-failed", unsafeBitCast(failed, to: gpointer.self), data)
        pack_connect(view, "decide-policy", unsafeBitCast(policy, to: gpointer.self), data)
        pack_connect(view, "web-process-terminated", unsafeBitCast(crashed, to: gpointer.self), data)
        pack_connect(content, "script-message-received::packtool", unsafeBitCast(message, to: gpointer.self), data)
        pack_connect(view, "script-dialog", unsafeBitCast(asked, to: gpointer.self), data)
        pack_connect(window, "destroy", unsafeBitCast(closed, to: gpointer.self), data)
        connectWindows(data)
    }

    nonisolated static func of<Result: Sendable>(
        _ data: gpointer, _ body: @MainActor (PackageView) -> Result
    ) -> Result {
        nonisolated(unsafe) let data = data
        return MainActor.assumeIsolated { body(Unmanaged<PackageView>.fromOpaque(data).takeUnretainedValue()) }
    }

    private func loadChanged(_ event: WebKitLoadEvent) {
        var url = url ?? ""
        switch event {
        case WEBKIT_LOAD_STARTED:
            // Where a page leads on by itself, WebKit's address is the old page's until the new one is there.
            if url == committedURL, let allowedURL { url = allowedURL }
            allowedURL = nil
            isReload = allowsReload
            allowsReload = false
            loadHasFailed = false
            isAnswered = false
            isErrorPage = expectsErrorPage
            expectsErrorPage = false
            guard !isErrorPage else { return }
            didChange?(.started(url: url))
        case WEBKIT_LOAD_COMMITTED:
            committedURL = url
            if !isErrorPage {
                didChange?(.committed(url: url, isRestored: !isAnswered, isReload: isReload))
            }
        case WEBKIT_LOAD_FINISHED:
            guard !loadHasFailed, !isErrorPage else { return }
            let resource = webkit_web_view_get_main_resource(view)
            let response = resource.flatMap { webkit_web_resource_get_response($0) }
            let status = response.map { Int(webkit_uri_response_get_status_code($0)) } ?? 0
            didChange?(.finished(url: url, status: status))
        default: break
        }
    }

    /// - Parameter reason: nil if the load was given up.
    private func didFail(_ url: String, _ reason: String?) {
        guard !isEndingPage else { return }
        loadHasFailed = true
        expectsErrorPage = reason != nil
        didChange?(reason.map { .failed(url: url, reason: $0) } ?? .stopped(url: url))
    }

    private func didCrash(_ reason: WebKitWebProcessTerminationReason) {
        guard !isEndingPage else { return }
        let text =
            switch reason {
            case WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT: "it used too much memory"
            case WEBKIT_WEB_PROCESS_TERMINATED_BY_API: "the app ended it"
            default: "it crashed"
            }
        endHookedPages()
        didChange?(.crashed(reason: "the page's process is gone: \(text)"))
    }

    private func didSay(_ json: String) {
        if let message = pageKey.message(in: json) { didChange?(.message(json: message, pageURL: url ?? "")) }
    }

    /// - Returns: whether the decision is made here, now or later.
    private func decide(_ decision: gpointer, type: WebKitPolicyDecisionType) -> Bool {
        switch type {
        case WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION:
            let navigation = decision.assumingMemoryBound(to: WebKitNavigationPolicyDecision.self)
            let action = webkit_navigation_policy_decision_get_navigation_action(navigation)
            let isReload =
                action.map { webkit_navigation_action_get_navigation_type($0) == WEBKIT_NAVIGATION_TYPE_RELOAD }
                ?? false
            let request = action.flatMap { webkit_navigation_action_get_request($0) }
            let url = request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) }
            return hold(decision, type: type, url) { [weak self] url in
                await self?.willNavigate?(url)
                self?.allowedURL = url
                self?.allowsReload = isReload
                return true
            }
        case WEBKIT_POLICY_DECISION_TYPE_RESPONSE:
            let response = decision.assumingMemoryBound(to: WebKitResponsePolicyDecision.self)
            let isMain = webkit_response_policy_decision_is_main_frame_main_resource(response) != 0
            if isMain { isAnswered = true }
            let isShown = webkit_response_policy_decision_is_mime_type_supported(response) != 0
            let isPage = isMain && isShown
            let answer = webkit_response_policy_decision_get_response(response)
            // WebKitGTK itself drops what it cannot show, without a word.
            let isDownload = !isShown && answer.map { webkit_uri_response_get_status_code($0) < 400 } ?? false
            let willShow = willShow
            let request = webkit_response_policy_decision_get_request(response)
            let url = request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) }
            let documentKey = answer.flatMap { Self.field(PageSession.documentField, of: $0) }
            return hold(decision, type: type, url, isDownload: isDownload) {
                await willShow?(Answer(url: $0, isPage: isPage, documentKey: documentKey)) ?? true
            }
        default: return false
        }
    }

    private static func field(_ name: String, of response: UnsafeMutablePointer<WebKitURIResponse>) -> String? {
        guard let fields = webkit_uri_response_get_http_headers(response) else { return nil }
        return soup_message_headers_get_one(fields, name).map { String(cString: $0) }
    }

    /// Leaves the decision to WebKit, which knows what it can show, but later.
    private func hold(
        _ decision: gpointer, type: WebKitPolicyDecisionType, _ url: String?, isDownload: Bool = false,
        until wait: @escaping @MainActor (String) async -> Bool
    ) -> Bool {
        guard let url,
            let classes = UnsafeMutableRawPointer(view).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class,
            let decide = UnsafeMutableRawPointer(classes).assumingMemoryBound(to: WebKitWebViewClass.self).pointee
                .decide_policy
        else { return false }
        g_object_ref(decision)
        g_object_ref(view)
        nonisolated(unsafe) let (held, view) = (decision, view)
        Task {
            if await wait(url) {
                if isDownload, self.refusesDownload(url) {
                    webkit_policy_decision_ignore(held.assumingMemoryBound(to: WebKitPolicyDecision.self))
                } else if isDownload {
                    webkit_policy_decision_download(held.assumingMemoryBound(to: WebKitPolicyDecision.self))
                } else {
                    _ = decide(view, held.assumingMemoryBound(to: WebKitPolicyDecision.self), type)
                }
            } else {
                webkit_policy_decision_ignore(held.assumingMemoryBound(to: WebKitPolicyDecision.self))
            }
            g_object_unref(held)
            g_object_unref(view)
        }
        return true
    }
}

/// Whether a load ended without a page and without a failure: it was stopped, became a download, or is audio or
/// video, which WebKit loads by itself. In these cases WebKit shows no error page.
private func isNoFailure(_ error: UnsafeMutablePointer<GError>?) -> Bool {
    g_error_matches(error, webkit_network_error_quark(), gint(WEBKIT_NETWORK_ERROR_CANCELLED.rawValue)) != 0
        || g_error_matches(
            error, webkit_policy_error_quark(),
            gint(WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE.rawValue)) != 0
        || g_error_matches(
            error, webkit_plugin_error_quark(), gint(WEBKIT_PLUGIN_ERROR_WILL_HANDLE_LOAD.rawValue)) != 0
}
