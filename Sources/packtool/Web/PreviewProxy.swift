import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackWeb
import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Forwards requests below some paths of a preview to a server, like a development server, and like a device with the
/// package's `api`.
struct PreviewProxy: Sendable {
    struct Route: Sendable {
        let prefix: String
        let target: String

        /// - Parameter text: `/api=http://localhost:3000`
        init(_ text: String) throws {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].hasPrefix("/"), let url = URL(string: String(parts[1])),
                ["http", "https"].contains(url.scheme ?? ""), !(url.host() ?? "").isEmpty, url.query() == nil
            else { throw CommandFailure("--proxy \(text): say a path and a URL, such as /api=http://localhost:3000") }
            prefix = String(parts[0])
            target = String(parts[1])
        }

        /// The URL for a request below the prefix; nil for another one.
        func url(for path: String) -> String? {
            let isBelow = path.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/")
            guard isBelow || path == prefix || path.hasPrefix(prefix + "?") else { return nil }
            let slashes = target.split(separator: "/", omittingEmptySubsequences: false).count - 1
            // Without a path of its own, as nginx's proxy_pass.
            return slashes < 3 ? target + path : target + path.dropFirst(prefix.count)
        }
    }

    private static let maximumBodySize = 64 << 20
    /// RFC 9110 section 7.6.1, and what the session sets itself or has undone.
    fileprivate static let ownFields: Set<String> = [
        "connection", "host", "content-length", "transfer-encoding", "keep-alive", "te", "trailer", "upgrade",
        "content-encoding", "accept-encoding", "proxy-connection",
    ]

    private let routes: [Route]
    private let loader: NetworkLoader

    init(_ routes: [Route]) {
        self.routes = routes.sorted { $0.prefix.count > $1.prefix.count }
        let configuration = URLSessionConfiguration.ephemeral
        // The browser keeps the cookies.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        // A server that sends events may be silent for long.
        configuration.timeoutIntervalForRequest = 86_400
        loader = NetworkLoader(configuration)
    }

    /// The server's URL for a request; nil if the package answers.
    func url(for path: String, manifest: Manifest) -> URL? {
        if let text = routes.lazy.compactMap({ $0.url(for: path) }).first { return URL(string: text) }
        let plain = String(path.prefix { $0 != "?" })
        guard SitePath.fault(of: plain) == nil else { return nil }
        return manifest.api.target(of: path).flatMap { URL(string: $0) }
    }

    /// The server's answer, as soon as its head is there. Redirects are left to the browser.
    /// - Parameter closed: succeeds when the page's connection ends; then the request ends too.
    /// - Throws: `CommandFailure` for a body that is too large, and what the network says.
    func answer(_ request: Request, from url: URL, until closed: EventLoopFuture<Void>) async throws -> Answer {
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        for field in request.headers where !Self.ownFields.contains(field.name.canonicalName.lowercased()) {
            outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: Self.maximumBodySize) } catch is NIOTooManyBytesError {
            throw CommandFailure("the preview forwards bodies of up to \(Self.maximumBodySize) bytes")
        }
        if body.readableBytes > 0 { outgoing.httpBody = Data(body.readableBytesView) }
        let (heads, head) = AsyncThrowingStream<TransferHead, any Error>.makeStream()
        let (pieces, piece) = AsyncThrowingStream<Data, any Error>.makeStream()
        let started = loader.start(outgoing, redirect: { _ in nil }) { event in
            switch event {
            case .response(let found):
                head.yield(found)
                head.finish()
            case .data(let data): piece.yield(data)
            case .finished: piece.finish()
            case .failed(let error):
                head.finish(throwing: error)
                piece.finish(throwing: error)
            }
        }
        piece.onTermination = { if case .cancelled = $0 { started.cancel() } }
        closed.whenComplete { _ in started.cancel() }
        for try await found in heads { return Answer(head: found, isHead: request.method == .head, body: pieces) }
        throw URLError(.badServerResponse)
    }
}

extension PreviewProxy {
    /// A server's answer, whose body comes as the server sends it.
    struct Answer: Sendable {
        let head: TransferHead
        let isHead: Bool
        let body: AsyncThrowingStream<Data, any Error>

        /// - Parameter pace: waits before each part of the body, of so many bytes; the first waits longer.
        func response(pace: @escaping @Sendable (_ byteCount: Int, _ isFirst: Bool) async throws -> Void) -> Response {
            var headers = HTTPFields()
            for (text, value) in head.headers {
                guard let name = HTTPField.Name(text), !PreviewProxy.ownFields.contains(text.lowercased()) else {
                    continue
                }
                let values = text.lowercased() == "set-cookie" ? SetCookieList.split(value) : [value]
                for value in values { headers.append(HTTPField(name: name, value: value)) }
            }
            let status = HTTPResponse.Status(code: head.status)
            let length = head.headers.first { $0.key.lowercased() == "content-length" }.flatMap { Int($0.value) }
            // These have no body, whatever length they tell (RFC 9110 section 6.4.1).
            guard !isHead, ![204, 304].contains(head.status) else {
                headers[.contentLength] = length.map { String($0) }
                return Response(status: status, headers: headers)
            }
            let content = ResponseBody(contentLength: length) { writer in
                try await pace(0, true)
                for try await piece in body {
                    try await pace(piece.count, false)
                    try await writer.write(ByteBuffer(bytes: piece))
                }
                try await writer.finish(nil)
            }
            return Response(status: status, headers: headers, body: content)
        }
    }
}
