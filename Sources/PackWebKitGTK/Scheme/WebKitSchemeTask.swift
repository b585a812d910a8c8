import CWebKitGTK
import Dispatch
import Foundation
import Glibc
import PackWeb
import PackWebOnline
import Synchronization

/// A request under a custom scheme from WebKitGTK. The answer's body goes through a pipe, and writing waits until
/// WebKit reads, so a large file takes constant memory. WebKit closes its end of the pipe when the page has stopped
/// the request; there is no other signal.
final class WebKitSchemeTask: WholeAnswerTask {
    private enum Body {
        case none
        /// The writing end of the pipe.
        case open(Int32)
        case ended
    }

    /// Touched on the main thread only.
    nonisolated(unsafe) private let request: UnsafeMutablePointer<WebKitURISchemeRequest>
    private let body = Mutex(Body.none)
    private let abandoned: @Sendable (WebKitSchemeTask) -> Void

    /// - Parameter abandoned: told once WebKit reads no more.
    @MainActor
    init(
        _ request: UnsafeMutablePointer<WebKitURISchemeRequest>,
        abandoned: @escaping @Sendable (WebKitSchemeTask) -> Void
    ) {
        g_object_ref(request)
        self.request = request
        self.abandoned = abandoned
    }

    deinit {
        end()
        nonisolated(unsafe) let request = request
        DispatchQueue.main.async { g_object_unref(request) }
    }

    func receive(_ head: TransferHead) {
        var ends: [Int32] = [-1, -1]
        guard g_unix_open_pipe(&ends, FD_CLOEXEC, nil) != 0 else {
            fail(POSIXError(.EMFILE))
            return
        }
        let reading = ends[0]
        body.withLock { $0 = .open(ends[1]) }
        DispatchQueue.main.async { self.answer(head, readingFrom: reading) }
    }

    func receive(_ data: Data) {
        guard case .open(let descriptor) = body.withLock({ $0 }) else { return }
        let isWritten = data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
        if !isWritten {
            end()
            abandoned(self)
        }
    }

    func finish() { end() }

    func fail(_ error: any Error) {
        DispatchQueue.main.async {
            let fault = pack_error("\(error)")
            webkit_uri_scheme_request_finish_error(self.request, fault)
            g_error_free(fault)
            // Only now: an end of the body before the error would be a short but good answer.
            self.end()
        }
    }

    /// On the main thread, from inside of WebKit's own call.
    func answer(_ head: TransferHead, _ body: Data) {
        let bytes = body.withUnsafeBytes { g_memdup2($0.baseAddress, gsize($0.count)) }
        let stream = g_memory_input_stream_new_from_data(bytes, gssize(body.count), g_free)
        answer(head, from: stream)
        end()
    }

    private func answer(_ head: TransferHead, readingFrom descriptor: Int32) {
        answer(head, from: g_unix_input_stream_new(descriptor, 1))
    }

    /// Takes the stream over.
    private func answer(_ head: TransferHead, from stream: UnsafeMutablePointer<GInputStream>?) {
        let length = head.headers.first { $0.key.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? -1
        let response = webkit_uri_scheme_response_new(stream, gint64(length))
        webkit_uri_scheme_response_set_status(response, guint(head.status), nil)
        let headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE)
        for (name, value) in head.headers {
            soup_message_headers_append(headers, name, value)
            if name.lowercased() == "content-type" { webkit_uri_scheme_response_set_content_type(response, value) }
        }
        webkit_uri_scheme_response_set_http_headers(response, headers)
        webkit_uri_scheme_request_finish_with_response(request, response)
        g_object_unref(response)
        g_object_unref(stream)
    }

    private func end() {
        body.withLock { body in
            if case .open(let descriptor) = body { close(descriptor) }
            body = .ended
        }
    }
}
