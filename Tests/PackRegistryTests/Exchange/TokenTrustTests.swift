import Foundation
import Testing

@testable import PackRegistryAPI

/// What a registry may be asked to trust.
struct TokenTrustTests {
    @Test func `a trust in a public issuer names the repository`() async throws {
        let shop = try await Shop()
        let github = "https://token.actions.githubusercontent.com"
        for (issuer, claims, isTaken) in [
            (github, ["ref": "refs/heads/main"], false),
            (github, ["repository": "acme/shop*", "ref": "refs/heads/main"], false),
            (github, ["repository": "acme/shop"], true), ("https://gitlab.com", ["environment": "production"], false),
            ("https://gitlab.com", ["project_path": "acme/shop"], true),
            ("https://gitlab.example.com", ["ref": "main"], true),
        ] {
            let request = try TrustRequest(
                name: "ci", scope: TokenScope(actions: [.publish]),
                trust: TokenTrust(issuer: issuer, audience: ExchangeBench.audience, claims: claims))
            let record = try? await shop.registry.createTrust(request)
            #expect((record != nil) == isTaken, "\(issuer) \(claims)")
        }
    }

    @Test(arguments: [
        (["ref": "refs/heads/main"], true), (["ref": "refs/tags/v*"], true), (["ref": "refs/heads/release/*"], true),
        (["environment": "production"], true), (["environment": "prod*"], true),
        (["ref_path": "refs/heads/main"], true),
        (["ref_protected": "true"], true), (["environment_protected": "true"], true),
        (["workflow_ref": "acme/shop/.github/workflows/a@b.yml@refs/heads/main"], true),
        (["ci_config_ref_uri": "gitlab.com/acme/shop//.gitlab-ci.yml@refs/tags/v*"], true),
        (["sub": "repo:acme/shop:environment:production"], true), (["sub": "repo:acme/shop:ref:refs/heads/main"], true),
        (["sub": "project_path:acme/shop:ref_type:branch:ref:main"], true), ([:], false),
        (["ref": "refs/*"], false), (["ref": "refs/heads/*"], false), (["ref": "refs/h*"], false),
        (["ref_path": "refs/pull/*"], false), (["ref_protected": "false"], false), (["actor": "ann"], false),
        (["workflow_ref": "acme/shop/.github/workflows/release.yml@*"], false),
        (["workflow_ref": "acme/shop/.github/workflows/release.yml@refs/heads/*"], false),
        (["workflow_ref": "acme/shop/.github/workflows/*"], false),
        (["ci_config_ref_uri": "gitlab.com/acme/shop//.gitlab-ci.yml@*"], false),
        (["sub": "repo:acme/shop:*"], false), (["sub": "repo:acme/shop:environment:*"], false),
        (["sub": "repo:acme/shop:ref:refs/heads/*"], false), (["sub": "repo:acme/shop:pull_request"], false),
        (["sub": "project_path:acme/shop:ref_type:branch:ref:*"], false),
    ])
    func `a trust without a branch, a tag or an environment admits every branch`(
        claims: [String: String], isPinned: Bool
    ) throws {
        for issuer in PublicIssuer.allCases {
            let name = issuer == .github ? "repository" : "project_path"
            let trust = try TokenTrust(
                issuer: issuer.rawValue, audience: "a", claims: claims.merging([name: "acme/shop"]) { $1 })
            #expect(trust.admitsAnyRef == !isPinned)
        }
        // Of an issuer of one's own nobody knows what its claims mean.
        let own = try TokenTrust(issuer: "https://ci.example.com", audience: "a", claims: ["project": "shop"])
        #expect(!own.admitsAnyRef)
    }

    @Test func `two equal trusts are one too many, and other rights are no equal trust`() async throws {
        let shop = try await Shop()
        let trust = try TokenTrust(
            issuer: "https://gitlab.example.com", audience: ExchangeBench.audience, claims: ["ref": "main"])
        func request(_ actions: Set<TokenAction>) -> TrustRequest {
            TrustRequest(name: "ci", scope: TokenScope(actions: actions), trust: trust)
        }
        let first = try await shop.registry.createTrust(request([.publish]))
        let error = await #expect(throws: RegistryError.self) {
            try await shop.registry.createTrust(request([.publish]))
        }
        #expect(error?.kind == .conflict && error?.message.contains(first.id) == true)
        _ = try await shop.registry.createTrust(request([.publish, .release]))
        #expect(try await shop.registry.revokeToken(id: first.id))
        _ = try await shop.registry.createTrust(request([.publish]))
    }

    @Test(arguments: [
        ("http://issuer.example.com", "a", ["sub": "x"]), ("https://user@issuer.example.com", "a", ["sub": "x"]),
        ("https://issuer.example.com/?a", "a", ["sub": "x"]), ("issuer", "a", ["sub": "x"]),
        ("https://issuer.example.com", "", ["sub": "x"]), ("https://issuer.example.com", "a", [:]),
        ("https://issuer.example.com", "a", ["sub": "*"]), ("https://issuer.example.com", "a", ["sub": "x*"]),
        ("https://issuer.example.com", "a", ["sub": "a*b"]), ("https://issuer.example.com", "a", ["sub": ""]),
        ("https://issuer.example.com", "a", ["aud": "x"]), ("https://issuer.example.com", "a", ["": "x"]),
        ("https://issuer.example.com", "a", ["sub": "x\ny"]),
    ])
    func `a trust that would admit too much or nothing is refused`(
        issuer: String, audience: String, claims: [String: String]
    ) {
        let error = #expect(throws: RegistryError.self) {
            try TokenTrust(issuer: issuer, audience: audience, claims: claims)
        }
        #expect(error?.kind == .invalid)
    }

    @Test func `claims and issuers are compared byte for byte`() throws {
        let trust = try TokenTrust(
            issuer: "https://k.example.com", audience: "K", claims: ["sub": "K", "ref": "refs/K*"])
        let kelvin = "\u{212A}"
        #expect(kelvin == "K")
        #expect(trust.mismatches(["sub": "K", "ref": "refs/K1"]).isEmpty)
        #expect(trust.mismatches(["sub": "K", "ref": "refs/K"]).isEmpty)
        #expect(trust.mismatches(["sub": kelvin, "ref": "refs/K1"]).map(\.name) == ["sub"])
        #expect(trust.mismatches(["sub": "K", "ref": "refs/\(kelvin)1"]).map(\.name) == ["ref"])
        #expect(trust.mismatches(["sub": "K ", "ref": "refs/K1"]).map(\.name) == ["sub"])
        #expect(trust.mismatches(["sub": "L"]).map(\.name) == ["ref", "sub"])
        #expect(trust.isFor("https://k.example.com", ["a", "K"]))
        #expect(!trust.isFor("https://k.example.com", [kelvin]) && !trust.isFor("https://K.example.com", ["K"]))
    }

    @Test func `no job gets the admin right`() async throws {
        let (shop, issuer) = (try await Shop(), try await Issuer())
        let request = try TrustRequest(
            name: "ci", scope: TokenScope(actions: [.admin]),
            trust: TokenTrust(issuer: issuer.url, audience: ExchangeBench.audience, claims: ExchangeBench.claims))
        let error = await #expect(throws: RegistryError.self) { try await shop.registry.createTrust(request) }
        #expect(error?.kind == .invalid && error?.message.contains("admin") == true)
    }
}
