import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import PackDashboard
import PackFormat
import PackRegistryAPI

/// The entrance of the server. Reads of the view and of sites go straight to their files, all other requests to the
/// API's router. Every error becomes a problem, and every request writes one line to the log.
package struct RegistryResponder: HTTPResponder {
    package typealias Context = RegistryRequestContext

    let view: ViewController
    let site: SiteController
    let api: RouterResponder<RegistryRequestContext>
    /// Nil: no adapter is on.
    let adapters: AdapterController?
    let clients: ClientLimits
    let metrics: ServerMetrics
    /// Not the request's own, which has an id of the framework beside ours.
    let logger: Logger
    /// Nil: there is none.
    let dashboard: DashboardController?

    package func respond(to request: Request, context: RegistryRequestContext) async throws -> Response {
        let start = ContinuousClock.now
        let id = clients.requestID(of: request, from: context.peer) ?? context.requestID.description
        var response: Response
        var reason: String?
        do {
            guard Self.hasOneHost(request) else {
                throw Problem.badRequest("a request names one host, in one Host field that agrees with its target")
            }
            response = try await clients.admit(request, from: context.peer) {
                try await answer(request, context: context)
            }
        } catch {
            var problem = clients.judged(Problem(error), request, from: context.peer)
            if problem.status.code >= 500 {
                logger.error(
                    "a request failed", metadata: ["id": "\(id)", "error": "\(error)"])
                problem.requestID = id
            }
            if Self.isForOperators(problem, request) { reason = problem.detail }
            response = adapters?.answer(to: problem, at: request.uri.path) ?? problem.response
            if request.method == .head { response = response.createHeadResponse() }
        }
        response.headers[RequestIDField.name] = id
        response.headers[.xContentTypeOptions] = "nosniff"
        let elapsed = ContinuousClock.now - start
        metrics.count(
            ServerMetrics.Kind(path: request.uri.path), status: response.status.code,
            byteCount: response.body.contentLength ?? 0, elapsed)
        guard logger.logLevel <= .info else { return response }
        // Of a refused token nobody knows whose it is.
        let client =
            reason != nil && context.caller.name == nil ? clients.client(of: request, from: context.peer) : nil
        log(
            response, request: request, id: id, elapsed,
            ["token": context.caller.name, "client": client.map { "\($0)" }, "reason": reason], logger)
        return response
    }

    /// Over HTTP/1.1 ``HostCheck`` has looked at the fields; over HTTP/2 `:authority` may have one beside it.
    private static func hasOneHost(_ request: Request) -> Bool {
        guard let authority = request.head.authority, HostField.isValid(authority) else { return false }
        let fields = HTTPField.Name("Host").map { request.headers[values: $0] } ?? []
        return fields.allSatisfy { $0.lowercased() == authority.lowercased() }
    }

    private func answer(_ request: Request, context: RegistryRequestContext) async throws -> Response {
        let target = request.uri.path
        if let dashboard, target == "/" { return try await dashboard.response(to: request, components: [], context) }
        guard let components = RequestPath(target)?.components, let first = components.first else {
            throw Problem.badRequest("the path of the request is refused")
        }
        if ViewPath.folders.contains(first) { return try await view.response(to: request, path: components) }
        if first == "site" {
            return try await site.response(to: request, target: target, components: components)
        }
        if let dashboard, first == DashboardPath.folder {
            return try await dashboard.response(to: request, components: components, context)
        }
        if let adapters, adapters.owns(components) {
            return try await adapters.response(to: request, components: components, context)
        }
        var response = try await api.respond(to: request, context: context)
        if response.status.code >= 400, response.headers[.contentType] != ProblemFormat.mediaType {
            throw problem(of: response, request: request, components: components)
        }
        for (name, value) in Self.apiFields { response.headers[name] = value }
        return response
    }

    /// The router's own refusals have no body that says anything.
    private func problem(of response: Response, request: Request, components: [String]) -> Problem {
        switch response.status {
        case .notFound:
            let allowed = RouteTable.methods(of: components)
            if !allowed.isEmpty, !allowed.contains(request.method) { return .methodNotAllowed(allowed) }
            return .notFound("there is nothing at this path")
        case .contentTooLarge: return .tooLarge("the request body is over the limit")
        default:
            return Problem(response.status, kind: RegistryError.Kind.invalid.rawValue, response.status.reasonPhrase)
        }
    }

    /// Whether the log says why a request was refused: what people and CI jobs are refused, whoever operates the server is
    /// asked about. A device's is not, for its reason may have what the query named.
    private static func isForOperators(_ problem: Problem, _ request: Request) -> Bool {
        switch problem.status.code {
        case 401, 403, 429: true
        case 400..<500: ClientLimits.bringsToken(request)
        // Logged with what the client does not see.
        default: false
        }
    }

    /// One line a request. Never the query, which may name a device, and never a header field, which may be a token.
    private func log(
        _ response: Response, request: Request, id: String, _ elapsed: Duration, _ more: [String: String?],
        _ logger: Logger
    ) {
        var metadata: Logger.Metadata = [
            "id": "\(id)", "method": "\(request.method.rawValue)", "path": "\(request.uri.path.logSafe)",
            "status": "\(response.status.code)", "bytes": "\(response.body.contentLength ?? 0)",
            "ms": "\((elapsed / .microseconds(1)).rounded() / 1000)",
        ]
        for (name, value) in more { metadata[name] = value.map { "\($0.logSafe)" } }
        logger.info("request", metadata: metadata)
    }

    /// An API's answers are never pages, whatever somebody makes a browser do with them.
    private static let apiFields: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
    ]
}

extension String {
    /// A text from outside in a log cannot forge a line or a terminal's colours, and has a bound.
    fileprivate var logSafe: String {
        String(decoding: utf8.prefix(512).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}
