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
    private static let ownFields: Set<String> = [
        "connection", "host", "content-length", "transfer-encoding", "keep-alive", "te", "trailer", "upgrade",
        "content-encoding", "accept-encoding", "proxy-connection",
    ]

    private let routes: [Route]
    private let session: URLSession

    init(_ routes: [Route]) {
        self.routes = routes.sorted { $0.prefix.count > $1.prefix.count }
        let configuration = URLSessionConfiguration.ephemeral
        // The browser keeps the cookies.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    /// The server's URL for a request; nil if the package answers.
    func url(for path: String, manifest: Manifest) -> URL? {
        if let text = routes.lazy.compactMap({ $0.url(for: path) }).first { return URL(string: text) }
        let plain = String(path.prefix { $0 != "?" })
        guard SitePath.fault(of: plain) == nil else { return nil }
        return manifest.api.target(of: path).flatMap { URL(string: $0) }
    }

    /// The server's answer, and how many bytes its body has.
    func answer(_ request: Request, from url: URL) async throws -> (response: Response, byteCount: Int) {
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        for field in request.headers where !Self.ownFields.contains(field.name.canonicalName.lowercased()) {
            outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        let body = try await request.body.collect(upTo: Self.maximumBodySize)
        if body.readableBytes > 0 { outgoing.httpBody = Data(body.readableBytesView) }
        let (data, answer) = try await session.data(for: outgoing)
        guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var headers = HTTPFields()
        for (name, value) in answer.allHeaderFields {
            guard let text = name as? String, let value = value as? String, let name = HTTPField.Name(text),
                !Self.ownFields.contains(text.lowercased())
            else { continue }
            let values = text.lowercased() == "set-cookie" ? SetCookieList.split(value) : [value]
            for value in values { headers.append(HTTPField(name: name, value: value)) }
        }
        let response = Response(
            status: HTTPResponse.Status(code: answer.statusCode), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
        return (response, data.count)
    }
}

/// Leaves redirects to the browser.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
