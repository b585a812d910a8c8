import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryServer

/// A registry, an issuer that it trusts for jobs that publish one package, and a client without a token.
struct ExchangeBench {
    static let audience = "https://packages.example.com"
    static let claims = [
        "repository": "acme/shop", "workflow_ref": "acme/shop/.github/workflows/release.yml@*",
        "environment": "production", "ref": "refs/heads/main",
    ]

    let shop: Shop
    let issuer: Issuer
    let server: RunningServer
    let client: RemoteRegistry
    let trust: TokenRecord

    func token(_ claims: JSONObject = [:], header: JSONObject = [:]) throws -> String {
        try issuer.token(issuer.job(now: shop.clock.now, claims), header: header)
    }

    func exchange(_ token: String, trust: String? = nil) async throws -> CreatedToken {
        try await client.exchange(TokenExchangeRequest(idToken: token, trust: trust))
    }

    func refusal(
        of token: String, _ kind: RegistryError.Kind = .unauthorized,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let error = await #expect(throws: RegistryError.self, sourceLocation: sourceLocation) {
            try await exchange(token)
        }
        #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
        return error?.message ?? ""
    }

    static var once: RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumAttempts = 1
        return policy
    }

    static func trust(
        _ shop: Shop, _ issuer: Issuer, claims: [String: String] = claims, keysURL: String? = nil,
        actions: Set<TokenAction> = [.publish], name: String = "releases"
    ) async throws -> TokenRecord {
        try await shop.registry.createTrust(
            TrustRequest(
                name: name, scope: TokenScope(actions: actions, packages: [package()]),
                trust: TokenTrust(issuer: issuer.url, audience: audience, claims: claims, keysURL: keysURL)))
    }

    static func with(
        keysURL: String? = nil, internalIssuers: Bool = true, failures: Int = 10_000,
        _ body: @escaping @Sendable (ExchangeBench) async throws -> Void
    ) async throws {
        let (shop, issuer) = (try await Shop(), try await Issuer())
        let trust = try await trust(shop, issuer, keysURL: keysURL.map { issuer.url + $0 })
        var limits = ServerLimits()
        limits.maximumFailedTokens = failures
        try await RunningServer.with(shop.local, limits: limits, internalIssuers: internalIssuers) {
            (server) async throws in
            let client = try RemoteRegistry(server.url, token: nil, retry: Self.once)
            try await body(ExchangeBench(shop: shop, issuer: issuer, server: server, client: client, trust: trust))
        }
    }
}
