import PackRegistry
import PackRegistryAPI

/// Exchanges the id tokens of CI jobs for access tokens.
struct ExchangeController {
    private let host: any RegistryHost
    private let verifier: IDTokenVerifier

    /// - Parameter allowsInternal: whether issuers may be on this machine or its network.
    init(host: any RegistryHost, allowsInternal: Bool) {
        self.host = host
        let client = OutboundClient(option: "--internal-issuers", allowsInternal: allowsInternal)
        verifier = IDTokenVerifier(keys: IssuerKeys(client: client)) { try await host.trusts(in: $0) }
    }

    func addRoutes(to router: EndpointRouter) {
        router.add(Endpoints.exchangeToken) { [host, verifier] _, request in
            let token = try await verifier.verify(request.idToken, now: host.now)
            return try await host.exchange(token, trust: request.trust)
        }
        router.add(Endpoints.createTrust) { call, request in try await call.registry.createTrust(request) }
    }
}
