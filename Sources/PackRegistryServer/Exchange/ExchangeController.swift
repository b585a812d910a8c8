import Logging
import PackRegistry
import PackRegistryAPI

/// Exchanges the id tokens of CI jobs for access tokens.
struct ExchangeController {
    private let host: any RegistryHost
    private let verifier: IDTokenVerifier
    private let gate: ConcurrencyGate

    /// - Parameters:
    ///   - allowsInternal: whether issuers may be on this machine or its network.
    ///   - authorities: certificates in PEM form that issuers may have besides the system's.
    ///   - gate: of exchanges.
    init(
        host: any RegistryHost, allowsInternal: Bool, authorities: String, gate: ConcurrencyGate, logger: Logger
    ) {
        self.host = host
        self.gate = gate
        let client = OutboundClient(
            option: "--internal-issuers", allowsInternal: allowsInternal, authorities: authorities)
        verifier = IDTokenVerifier(keys: IssuerKeys(client: client, logger: logger)) { try await host.trusts(in: $0) }
    }

    func addRoutes(to router: EndpointRouter) {
        // Anybody may ask, and who waits for an issuer must not keep publishers from the registry.
        router.add(Endpoints.exchangeToken, gate: gate) { [host, verifier] _, request in
            let token = try await verifier.verify(request.idToken, now: host.now)
            return try await host.exchange(token, trust: request.trust)
        }
        router.add(Endpoints.createTrust) { call, request in try await call.registry.createTrust(request) }
    }
}
