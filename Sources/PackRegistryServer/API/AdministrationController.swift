import HTTPTypes
import Hummingbird
import PackJSON
import PackRegistry
import PackRegistryAPI

/// Tokens, the audit log and the overview.
struct AdministrationController {
    static let maximumAuditCount = 10_000

    let bearer: Bearer
    let host: any RegistryHost
    let memory: BodyMemory
    let writes: ConcurrencyGate
    /// What anybody may ask for and reads much.
    let reports: ConcurrencyGate

    func addRoutes(to router: Router<RegistryRequestContext>) {
        router.get("v1/overview", use: overview)
        router.get("v1/tokens", use: tokens)
        router.post("v1/tokens", use: createToken)
        router.delete("v1/tokens/:id", use: revokeToken)
        router.get("v1/audit", use: audit)
    }

    @Sendable func overview(request: Request, context: RegistryRequestContext) async throws -> Response {
        let identity = try await bearer.optionalIdentity(of: request)
        return try await reports.pass {
            let overview = try await host.registry(as: identity ?? .anonymous).overview()
            return .json((identity == nil ? overview.anonymous : overview).json)
        }
    }

    @Sendable func tokens(request: Request, context: RegistryRequestContext) async throws -> Response {
        let registry = try await bearer.registry(for: request, .admin)
        return .json(["tokens": .array(try await registry.tokens().map { .object($0.json) })])
    }

    @Sendable func createToken(request: Request, context: RegistryRequestContext) async throws -> Response {
        let registry = try await bearer.registry(for: request, .admin)
        return try await writes.pass {
            let wanted = try await memory.withDocument(of: request, context, TokenRequest.init(json:))
            let created = try await registry.createToken(wanted)
            return .json(
                ["token": .object(created.record.json), "secret": .string(created.secret)], status: .created)
        }
    }

    @Sendable func revokeToken(request: Request, context: RegistryRequestContext) async throws -> Response {
        let registry = try await bearer.registry(for: request, .admin)
        let id = try context.parameters.require("id")
        return try await writes.pass {
            guard try await registry.revokeToken(id: id) else { throw Problem.notFound("there is no token \(id)") }
            return Response(status: .noContent)
        }
    }

    @Sendable func audit(request: Request, context: RegistryRequestContext) async throws -> Response {
        let registry = try await bearer.registry(for: request, .admin)
        let text = request.uri.queryParameters["limit"] ?? "100"
        guard let limit = Int(text), (1...Self.maximumAuditCount).contains(limit) else {
            throw Problem.badRequest("limit must be a number from 1 to \(Self.maximumAuditCount)")
        }
        return .json(["entries": .array(try await registry.auditLog(limit: limit).map { .object($0.json) })])
    }
}
