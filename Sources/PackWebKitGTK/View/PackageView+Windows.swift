import CWebKitGTK
import Foundation

/// New windows that a page requests: links with a `target`, forms with one, `window.open()`. The view has no second
/// window.
extension PackageView {
    /// A page's request for a new window.
    public struct NewWindow: Sendable, Hashable {
        public let url: String
        /// The method. For a form under a custom scheme it is always POST, because WebKit does not tell.
        public let method: String
        /// Whether somebody has just touched the page. Browsers block windows without a user gesture.
        public let isUserGesture: Bool
    }

    /// WebKit asks here for every new window; without a view in answer `window.open()` gives the page null.
    func connectWindows(_ data: gpointer) {
        let create: @convention(c) (gpointer, OpaquePointer, gpointer) -> gpointer? = { _, action, data in
            let request = webkit_navigation_action_get_request(action)
            let url = request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
            let isForm =
                webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED
            let method = request.flatMap { webkit_uri_request_get_http_method($0) }.map { String(cString: $0) }
            let asked = NewWindow(
                url: url, method: method ?? (isForm ? "POST" : "GET"),
                isUserGesture: webkit_navigation_action_is_user_gesture(action) != 0)
            PackageView.of(data) { view in
                guard view.takesWindow?(asked) == true else { return }
                // After WebKit's call: the page that asks is in the middle of a script.
                Task { view.load(url) }
            }
            return nil
        }
        pack_connect(view, "create", unsafeBitCast(create, to: gpointer.self), data)
        // WebKit itself would drop what nobody touched the page for, and say so to nobody.
        webkit_settings_set_javascript_can_open_windows_automatically(webkit_web_view_get_settings(view), 1)
    }
}
