import CWebKitGTK
public import Foundation

/// Requests to a page from outside: a script's value, a picture.
extension PackageView {
    /// Runs the body of an asynchronous function in the page and returns its value as JSON.
    /// - Throws: ``PageError/script(_:)`` with the script's error.
    public func evaluate(_ body: String) async throws -> String {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
            webkit_web_view_call_async_javascript_function(
                view, body, -1, nil, nil, nil, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<String>.take(data) else { return }
                    var fault: UnsafeMutablePointer<GError>?
                    let view = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebView.self)
                    guard let value = webkit_web_view_call_async_javascript_function_finish(view, result, &fault) else {
                        waiter.resume(throwing: PageError.script(pageErrorText(fault)))
                        return
                    }
                    let text = jsc_value_to_json(value, 0)
                    waiter.resume(returning: text.map { String(cString: $0) } ?? "null")
                    g_free(text)
                    g_object_unref(value)
                }, Waiter(continuation).held())
        }
    }

    /// Writes the view's picture as a PNG file.
    public func writeSnapshot(to file: URL) async throws {
        let path = file.path
        let waiterPath = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<SnapshotSurface, any Error>) in
            webkit_web_view_get_snapshot(
                view, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil,
                { source, result, data in
                    guard let source, let waiter = Waiter<SnapshotSurface>.take(data) else { return }
                    var fault: UnsafeMutablePointer<GError>?
                    let view = UnsafeMutableRawPointer(source).assumingMemoryBound(to: WebKitWebView.self)
                    guard let surface = webkit_web_view_get_snapshot_finish(view, result, &fault) else {
                        waiter.resume(throwing: PageError.snapshot(pageErrorText(fault)))
                        return
                    }
                    waiter.resume(returning: SnapshotSurface(surface: surface))
                }, Waiter(continuation).held())
        }
        let status = cairo_surface_write_to_png(waiterPath.surface, path)
        cairo_surface_destroy(waiterPath.surface)
        guard status == CAIRO_STATUS_SUCCESS else { throw PageError.snapshot("\(path) cannot be written") }
    }
}

private struct SnapshotSurface: Sendable {
    nonisolated(unsafe) let surface: OpaquePointer
}

/// Why a request to a page failed.
public enum PageError: Error, Equatable, Sendable, CustomStringConvertible {
    case script(String)
    case snapshot(String)
    case cookies(String)

    public var description: String {
        switch self {
        case .script(let reason): "the script failed: \(reason)"
        case .snapshot(let reason): "there is no picture of the page: \(reason)"
        case .cookies(let reason): "the view's cookies cannot be read: \(reason)"
        }
    }
}

/// Returns the error's text and frees the error.
func pageErrorText(_ fault: UnsafeMutablePointer<GError>?) -> String {
    defer { if let fault { g_error_free(fault) } }
    return fault.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no reason was given"
}

/// A continuation as the data of a C callback that is called once.
final class Waiter<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, any Error>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    func held() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func take(_ data: UnsafeMutableRawPointer?) -> CheckedContinuation<Value, any Error>? {
        data.map { Unmanaged<Waiter<Value>>.fromOpaque($0).takeRetainedValue().continuation }
    }
}
