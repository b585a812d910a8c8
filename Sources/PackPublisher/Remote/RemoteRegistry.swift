import Foundation
import PackFormat
import PackHTTP
import PackJSON
import PackRegistryAPI
import PackSystem

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A registry over HTTP.
///
///     let registry = try RemoteRegistry("https://packages.example.com", token: token)
///     let overview = try await registry.overview()
///
/// A registry that is busy or starts anew is asked again, as long as asking twice does no harm. Refusals come as the
/// ``RegistryError`` that a registry in a folder would throw.
package struct RemoteRegistry: Sendable {
    /// An answer of the API; a list of missing objects is the longest.
    private static let maximumAnswerByteCount = 64 << 20
    /// Seconds without a byte before a read is given up.
    private static let readTimeout: TimeInterval = 60
    /// Seconds for what makes the registry work: an upload is verified before it is answered.
    private static let writeTimeout: TimeInterval = 600

    /// The base URL without a slash at its end.
    package let base: String
    private let token: String?
    private let retry: RetryPolicy
    private let exchange = HTTPExchange()

    /// - Parameter base: An `http` or `https` URL. It has a path if the registry is not at its host's root.
    /// - Throws: ``RegistryError`` of kind `.invalid`.
    package init(_ base: String, token: String?, retry: RetryPolicy = RetryPolicy()) throws {
        guard let url = URL(string: base), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false, url.query() == nil, url.fragment() == nil, url.user() == nil
        else {
            throw RegistryError(.invalid, "\"\(base)\" is not a registry's URL: use https://HOST or http://HOST:PORT")
        }
        // A line break in a header field would be a second field.
        if let token, !token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            throw RegistryError(.invalid, "the access token has characters that no token has: copy it again")
        }
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        self.token = token
        self.retry = retry
    }

    /// One request of the API, whose body and answer are JSON documents.
    @discardableResult
    func call<Body, Answer>(
        _ endpoint: Endpoint<Body, Answer>, _ body: Body, path values: [String: String] = [:], query: String? = nil
    ) async throws -> Answer {
        let document = endpoint.encodeBody.map { Data(JSONValue.object($0(body)).compactText.utf8) }
        let reply = try await send(endpoint.route, path: values, query: query, body: document)
        guard endpoint.encodeAnswer != nil else { return try endpoint.decodeAnswer([:]) }
        let answer: JSONObject
        do {
            answer = try JSONValue(parsing: reply.body).object("the answer")
        } catch {
            throw RegistryError(
                .unreachable, "\(base) does not answer as a packtool registry does (\(error)): check the address")
        }
        return try endpoint.decodeAnswer(answer)
    }

    /// One request.
    /// - Throws: ``RegistryError`` for every answer that is no success.
    func send(
        _ route: Route, path values: [String: String] = [:], query: String? = nil, body: Data? = nil,
        mediaType: String = "application/json", uploading file: URL? = nil, fields: [String: String] = [:]
    ) async throws -> HTTPReply {
        var request = try makeRequest(
            route.method.rawValue, route.path(values).dropFirst() + (query.map { "?\($0)" } ?? ""))
        request.timeoutInterval = route.method == .get ? Self.readTimeout : Self.writeTimeout
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if body != nil || file != nil { request.setValue(mediaType, forHTTPHeaderField: "Content-Type") }
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body
        let reply = try await reply(
            to: request, uploading: file, into: .memory(maximumByteCount: Self.maximumAnswerByteCount),
            isRepeatable: route.isRepeatable)
        guard (200...299).contains(reply.status) else {
            throw RegistryError(reply: reply, from: base, sent: body?.count ?? Self.size(of: file))
        }
        return reply
    }

    private static func size(of file: URL?) -> Int? { file.flatMap { SystemCall.size(of: $0) } }

    /// Whether the registry itself, and no proxy before it, refused the request before it ran.
    private static func didNothing(_ reply: HTTPReply) -> Bool {
        let problem = try? JSONValue(parsing: reply.body).object("problem")
        return (try? problem?.string("type")) == ProblemFormat.typePrefix + RegistryError.Kind.busy.rawValue
    }

    /// One read of the published view; the caller looks at the status. No token goes along: the view is public, and may
    /// be somebody else's CDN.
    func read(_ path: String, into sink: HTTPSink) async throws -> HTTPReply {
        var request = try makeRequest(
            "GET", path.split(separator: "/").map { Route.encoded(String($0)) }.joined(separator: "/"))
        request.timeoutInterval = Self.readTimeout
        return try await reply(to: request, into: sink, isRepeatable: true)
    }

    /// The answer to a request. A registry that is busy, or at which nobody is now, is asked again where that does no harm
    /// or nothing was done.
    private func reply(
        to request: URLRequest, uploading file: URL? = nil, into sink: HTTPSink, isRepeatable: Bool
    ) async throws -> HTTPReply {
        var attempt = 1
        var waited = Duration.zero
        while true {
            let result: Result<HTTPReply, URLError>
            do {
                result = .success(try await exchange.send(request, uploading: file, into: sink))
            } catch let error as URLError where error.code != .cancelled {
                result = .failure(error)
            }
            guard let wait = wait(after: result, isRepeatable: isRepeatable),
                let pause = wait.isForServer
                    ? retry.pauseForServer(afterAttempt: attempt, waited: waited)
                    : retry.pause(
                        afterAttempt: attempt, retryAfter: (try? result.get())?.fields["retry-after"], now: Date())
            else { return try answer(result, isRead: request.httpMethod == "GET", waited: waited) }
            if attempt == 1 {
                let time = wait.isForServer ? "for \(retry.patience.components.seconds) s" : "for a while"
                retry.notice("the registry at \(base) \(wait.reason): trying again \(time)")
            }
            try await retry.sleep(pause)
            waited += pause
            attempt += 1
        }
    }

    /// What is worth waiting for, and whether it is that the server is there; nil: what came is the answer.
    private func wait(
        after result: Result<HTTPReply, URLError>, isRepeatable: Bool
    ) -> (reason: String, isForServer: Bool)? {
        switch result {
        case .success(let reply):
            switch reply.status {
            case 429, 503:
                guard isRepeatable || Self.didNothing(reply) else { return nil }
                return ("answers \(reply.status) (\(RegistryError(reply: reply, from: base).message))", false)
            // A proxy's words for a registry that starts anew; the request may have reached it.
            case 502, 504: return isRepeatable ? ("gives no answer (\(reply.status))", true) : nil
            default: return nil
            }
        case .failure(let error) where error.code == .cannotConnectToHost:
            return ("cannot be reached (\(error.localizedDescription))", true)
        // Foundation on Linux: the second is a connection that ended without an answer.
        case .failure(let error) where [.networkConnectionLost, .badServerResponse].contains(error.code):
            return isRepeatable ? ("has closed the connection", true) : nil
        case .failure: return nil
        }
    }

    private func answer(
        _ result: Result<HTTPReply, URLError>, isRead: Bool, waited: Duration
    ) throws -> HTTPReply {
        switch result {
        case .success(let reply): return reply
        case .failure(let error):
            if let refusal = CertificateRefusal(error) {
                throw RegistryError(
                    .unreachable,
                    "the certificate of \(base) is not accepted (\(error.localizedDescription)): \(refusal.advice)")
            }
            let seconds = waited.components.seconds
            throw RegistryError(
                .unreachable,
                Self.explanation(of: error, from: base, isRead: isRead)
                    + (seconds > 0 ? ". It was tried for \(seconds) s" : ""))
        }
    }

    /// What no answer means: nobody was there, or whether the registry did what it was asked is not known.
    static func explanation(of error: URLError, from base: String, isRead: Bool) -> String {
        let nobody: Set<URLError.Code> = [
            .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .badURL, .unsupportedURL,
            .secureConnectionFailed,
        ]
        let reason = error.localizedDescription
        if nobody.contains(error.code) {
            return
                "the registry at \(base) cannot be reached (\(reason)): check the address and the network, or start it with "
                + "packtool serve"
        }
        let what =
            error.code == .timedOut
            ? "the registry at \(base) gave no answer in time"
            : "the connection to the registry at \(base) was lost (\(reason))"
        return isRead
            ? "\(what): try again"
            : "\(what), so it may have done what it was asked: see packtool status and packtool audit before you try again"
    }

    private func makeRequest(_ method: String, _ path: String) throws -> URLRequest {
        guard let url = URL(string: base + "/" + path) else {
            throw RegistryError(.invalid, "\"\(path)\" is not a path of a registry")
        }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method
        request.setValue(ProductVersion.userAgent("packtool"), forHTTPHeaderField: "User-Agent")
        return request
    }
}

extension RegistryError {
    /// What an answer that is no success means, from its problem document or, from something in between, its status.
    /// - Parameter sent: the bytes of the request's body.
    init(reply: HTTPReply, from base: String, sent: Int? = nil) {
        let problem = try? JSONValue(parsing: reply.body).object("problem")
        let type = try? problem?.string("type")
        let detail = try? problem?.string("detail")
        if let type, type.hasPrefix(ProblemFormat.typePrefix), let detail {
            self.init(Kind(problem: String(type.dropFirst(ProblemFormat.typePrefix.count))), detail)
            return
        }
        if reply.status == 413, let sent {
            let server = reply.fields["server"].map { " (\($0))" } ?? ""
            self.init(
                .tooLarge,
                "\(base) refused a body of \(sent) bytes (413), and not as a packtool registry does: a proxy before "
                    + "it\(server) has a lower limit. In nginx it is client_max_body_size, 1m unless it is set; the registry "
                    + "takes 2 GiB: set \"client_max_body_size 2g;\" in the registry's server block")
            return
        }
        let kind: Kind =
            switch reply.status {
            case 401, 407: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            case 409: .conflict
            case 413: .tooLarge
            case 429, 503: .busy
            case 507: .full
            default: .unreachable
            }
        let target = reply.fields["location"].map { ", which points to \($0)" } ?? ""
        self.init(
            kind, "\(base) answered \(reply.status)\(target) and not as a packtool registry does: check the address")
    }
}

extension RegistryError.Kind {
    fileprivate init(problem name: String) {
        self =
            Self(rawValue: name)
            ?? ["internal": .unusable, "timeout": .unreachable, "tooManyRequests": .busy][name] ?? .invalid
    }
}
