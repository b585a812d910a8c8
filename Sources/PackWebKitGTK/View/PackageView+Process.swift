import CWebKitGTK
import PackWeb
import PackWebOnline

/// The page's process: whether it answers, and its end.
extension PackageView {
    /// Ends the page's process, whatever it does. Nothing else removes a page from the screen that hangs or has a
    /// dialog open. There is no event for it. The next ``load(_:)`` starts a new process.
    public func endPage() {
        isEndingPage = true
        webkit_web_view_terminate_web_process(view)
        pack_remove_children(view)
        isEndingPage = false
        endHookedPages()
    }

    /// Whether the page's thread responds. It does not while a script runs endlessly or a dialog of the page is open.
    /// WebKit's own signal (`is-web-process-responsive`) comes only when somebody touches the page.
    public func isAnswering(within limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let waiter = FirstAnswer(continuation)
            // In a world of its own: whatever the page has changed, this runs.
            webkit_web_view_evaluate_javascript(
                view, "0", -1, "packtool-pulse", nil, nil,
                { source, result, data in
                    guard let source, let data else { return }
                    let waiter = Unmanaged<FirstAnswer>.fromOpaque(data).takeRetainedValue()
                    let view = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebView.self)
                    if let value = webkit_web_view_evaluate_javascript_finish(view, result, nil) {
                        g_object_unref(value)
                    }
                    MainActor.assumeIsolated { waiter.resume(true) }
                }, Unmanaged.passRetained(waiter).toOpaque())
            Task {
                try? await Task.sleep(for: limit)
                waiter.resume(false)
            }
        }
    }
}
