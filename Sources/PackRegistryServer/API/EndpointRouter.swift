import HTTPTypes
import Hummingbird
import PackJSON
import PackRegistry
import PackRegistryAPI

/// What an endpoint's answer depends on, besides the request's body.
struct EndpointCall: Sendable {
    let request: Request
    let context: RegistryRequestContext
    /// On behalf of the token's holder, who has the endpoint's right.
    let registry: any Registry
    /// nil without a token.
    let identity: Identity?

    /// A value of the path.
    func value(_ name: String) throws -> String { try context.parameters.require(name) }
}

/// Adds endpoints to the router. Rights, bodies, limits and answers work alike for all of them.
struct EndpointRouter {
    let router: Router<RegistryRequestContext>
    let bearer: Bearer
    let memory: BodyMemory
    /// What changes the registry.
    let writes: ConcurrencyGate

    /// - Parameter gate: of what reads much; changes have one of their own.
    func add<Body, Answer>(
        _ endpoint: Endpoint<Body, Answer>, gate: ConcurrencyGate? = nil,
        _ answer: @escaping @Sendable (EndpointCall, Body) async throws -> Answer
    ) {
        let handler = EndpointHandler(
            endpoint: endpoint, bearer: bearer, memory: memory,
            gate: gate ?? (endpoint.route.method == .get ? nil : writes), answer: answer)
        add(endpoint.route) { request, context in try await handler.respond(to: request, context) }
    }

    /// A route whose body or answer is no JSON document.
    func add(
        _ route: Route, _ answer: @escaping @Sendable (Request, RegistryRequestContext) async throws -> Response
    ) {
        guard let method = HTTPRequest.Method(rawValue: route.method.rawValue) else { return }
        let path = route.path.replacing("{", with: ":").replacing("}", with: "")
        router.on(RouterPath(path), method: method, use: answer)
    }
}

/// Handles one endpoint, from request to answer.
private struct EndpointHandler<Body: Sendable, Answer: Sendable>: Sendable {
    let endpoint: Endpoint<Body, Answer>
    let bearer: Bearer
    let memory: BodyMemory
    let gate: ConcurrencyGate?
    let answer: @Sendable (EndpointCall, Body) async throws -> Answer

    // Not inlined, as `Bearer.identity` and for its reason.
    @inline(never)
    func respond(to request: Request, _ context: RegistryRequestContext) async throws -> Response {
        let call = try await call(request, context)
        guard let gate else { return try await respond(to: call) }
        return try await gate.pass { try await respond(to: call) }
    }

    private func call(_ request: Request, _ context: RegistryRequestContext) async throws -> EndpointCall {
        let identity = try await bearer.identity(of: request, context, for: endpoint.route)
        return EndpointCall(
            request: request, context: context, registry: bearer.host.registry(as: identity ?? .anonymous),
            identity: identity)
    }

    private func respond(to call: EndpointCall) async throws -> Response {
        guard endpoint.encodeBody != nil else {
            return try response(await answer(call, endpoint.decodeBody([:])))
        }
        return try await memory.withDocument(of: call.request, call.context) { document in
            try response(await answer(call, endpoint.decodeBody(document)))
        }
    }

    private func response(_ value: Answer) -> Response {
        guard let encode = endpoint.encodeAnswer else { return Response(status: .noContent) }
        return .json(encode(value), status: HTTPResponse.Status(code: endpoint.status(value)))
    }
}
