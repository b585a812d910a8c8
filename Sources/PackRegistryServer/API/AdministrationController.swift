import Hummingbird
import PackFormat
import PackRegistryAPI

/// Answers requests for tokens, the audit log and the overview.
struct AdministrationController {
    /// What anybody may ask for and reads much.
    let reports: ConcurrencyGate

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.overview, gate: reports) { call, _ in
            // Names with commas between them, and none for a package without a version.
            let packages = try call.request.uri.queryParameters["packages"].map { names in
                try Set(names.split(separator: ",").map { try PackageID(String($0)) })
            }
            let overview = try await call.registry.overview(of: packages)
            return call.identity == nil ? overview.anonymous : overview
        }
        router.add(Endpoints.identity) { call, _ in
            guard let identity = call.identity else {
                throw Problem.unauthorized("this tells what an access token may do: send one", isTokenGiven: false)
            }
            return identity
        }
        router.add(Endpoints.tokens) { call, _ in try await call.registry.tokens() }
        router.add(Endpoints.createToken) { call, request in try await call.registry.createToken(request) }
        router.add(Endpoints.revokeToken) { call, _ in
            let id = try call.value("id")
            guard try await call.registry.revokeToken(id: id) else {
                throw Problem.notFound("there is no token \(id) that is not revoked")
            }
        }
        addWebhookRoutes(to: router)
        router.add(Endpoints.audit) { call, _ in
            try await call.registry.auditLog(AuditQuery(call.request.uri.queryParameters))
        }
    }

    private func addWebhookRoutes(to router: EndpointRouter) {
        router.add(Endpoints.webhooks) { call, _ in try await call.registry.webhooks() }
        router.add(Endpoints.addWebhook) { call, request in try await call.registry.addWebhook(request) }
        router.add(Endpoints.removeWebhook) { call, _ in
            let id = try call.value("id")
            guard try await call.registry.removeWebhook(id: id) else {
                throw Problem.notFound("there is no webhook \(id)")
            }
        }
        router.add(Endpoints.testWebhook) { call, _ in
            let id = try call.value("id")
            guard let delivery = try await call.registry.testWebhook(id: id) else {
                throw Problem.notFound("there is no webhook \(id)")
            }
            return delivery
        }
        router.add(Endpoints.deadLetters) { call, _ in try await call.registry.deadLetters() }
        router.add(Endpoints.retryDeadLetters) { call, _ in try await call.registry.retryDeadLetters() }
    }
}

extension AuditQuery {
    /// What a request asks for.
    fileprivate init(_ parameters: Parameters) throws {
        let text = parameters["limit"] ?? "100"
        guard let limit = Int(text), (1...Self.maximumLimit).contains(limit) else {
            throw Problem.badRequest("limit must be a number from 1 to \(Self.maximumLimit)")
        }
        self.init(limit: limit)
        actor = parameters["actor"].map(String.init)
        action = parameters["action"].map(String.init)
        subject = parameters[values: "subject"].map(String.init)
        since = try parameters["since"].map { text in
            do { return try WireTime.date(String(text), field: "since") } catch { throw Problem.badRequest("\(error)") }
        }
    }
}
