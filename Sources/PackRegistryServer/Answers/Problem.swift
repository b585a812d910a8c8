import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackRegistryAPI
import PackSystem

/// An answer that describes an error as RFC 9457 defines it (`application/problem+json`).
struct Problem: Error {
    /// Seconds in `Retry-After` where the registry is busy.
    static let retrySeconds = 2

    let status: HTTPResponse.Status
    /// The kind, one word of the list in `docs/HTTP-API.md`.
    let kind: String
    let detail: String
    var headers = HTTPFields()
    /// The server's log has the reason, which is not for clients.
    private(set) var isForTheLog = false
    /// The request's id in the log, set where the error was logged.
    var requestID: String?

    init(_ status: HTTPResponse.Status, kind: String, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = headers
    }

    /// A request that cannot be understood.
    static func badRequest(_ detail: String) -> Problem {
        Problem(.badRequest, kind: RegistryError.Kind.invalid.rawValue, detail)
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, kind: RegistryError.Kind.notFound.rawValue, detail)
    }

    static func tooLarge(_ detail: String) -> Problem {
        Problem(.contentTooLarge, kind: RegistryError.Kind.tooLarge.rawValue, detail)
    }

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, kind: "methodNotAllowed", "this resource answers \(list)", headers: [.allow: list])
    }

    static func unauthorized(_ detail: String, isTokenGiven: Bool) -> Problem {
        let challenge = "Bearer realm=\"packtool\"" + (isTokenGiven ? ", error=\"invalid_token\"" : "")
        return Problem(
            .unauthorized, kind: RegistryError.Kind.unauthorized.rawValue, detail,
            headers: [.wwwAuthenticate: challenge])
    }

    /// - Parameter seconds: after which it is worth while to try again.
    static func tooManyRequests(_ detail: String, seconds: Int) -> Problem {
        Problem(.tooManyRequests, kind: "tooManyRequests", detail, headers: [.retryAfter: String(seconds)])
    }

    static func forbidden(_ detail: String) -> Problem {
        Problem(
            .forbidden, kind: RegistryError.Kind.forbidden.rawValue, detail,
            headers: [.wwwAuthenticate: "Bearer realm=\"packtool\", error=\"insufficient_scope\""])
    }

    /// The problem that an error is to a client. What is not foreseen says nothing about the inside.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as RegistryError: self.init(registry: error)
        case let fault as FileFault: self.init(registry: RegistryError(fault))
        case let error as FormatError: self = .badRequest(error.description)
        case let error as JSONError: self = .badRequest("the request body is not valid: \(error)")
        case is SlowBodyError:
            self.init(.requestTimeout, kind: "timeout", "the request body came too slowly")
        case is NIOTooManyBytesError: self = .tooLarge("the request body is over the limit")
        case let error as any HTTPResponseError where error.status == .notFound:
            self = .notFound("there is nothing at this path")
        case let error as any HTTPResponseError:
            self.init(error.status, kind: RegistryError.Kind.invalid.rawValue, error.status.reasonPhrase)
        default:
            self.init(.internalServerError, kind: "internal", "the registry failed on this request")
            isForTheLog = true
        }
    }

    private init(registry error: RegistryError) {
        switch error.kind {
        case .unauthorized: self = .unauthorized(error.message, isTokenGiven: true)
        case .forbidden: self = .forbidden(error.message)
        case .busy:
            self.init(
                .serviceUnavailable, kind: error.kind.rawValue, error.message,
                headers: [.retryAfter: String(Self.retrySeconds)])
        case .invalid: self.init(.unprocessableContent, kind: error.kind.rawValue, error.message)
        case .notFound: self.init(.notFound, kind: error.kind.rawValue, error.message)
        case .conflict, .needsApproval, .nothingToDo: self.init(.conflict, kind: error.kind.rawValue, error.message)
        case .tooLarge: self.init(.contentTooLarge, kind: error.kind.rawValue, error.message)
        case .full:
            self.init(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), kind: error.kind.rawValue,
                "the registry has no room left: nothing was published half, tell who operates it")
        // Their messages name files and hosts of the server.
        case .unreachable:
            self.init(
                .serviceUnavailable, kind: error.kind.rawValue,
                "the registry cannot reach its database or its files now",
                headers: [.retryAfter: String(Self.retrySeconds)])
            isForTheLog = true
        case .unusable:
            self.init(.internalServerError, kind: error.kind.rawValue, "the registry failed on this request")
            isForTheLog = true
        }
    }

    var response: Response {
        var detail = detail
        if isForTheLog, let requestID { detail += "; its log has the reason under the id \(requestID)" }
        let document: JSONObject = [
            "type": .string(ProblemFormat.typePrefix + kind), "title": .string(status.reasonPhrase),
            "status": .integer(status.code), "detail": .string(ProblemText.cut(detail)),
        ]
        var fields = headers
        fields[.contentType] = ProblemFormat.mediaType
        fields[.cacheControl] = CacheControl.none
        return Response(
            status: status, headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: JSONValue.object(document).compactText)))
    }
}
