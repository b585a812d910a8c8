import Crypto
import Foundation
import PackJSON
import Testing

@testable import PackRegistryAPI

/// Which id tokens count, and whose keys, against a real server and a real issuer.
struct IDTokenTests {
    @Test func `jobs that ask a server at once wait for one look at the keys, also at new ones`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            for _ in 0..<2 {
                let asked = bench.issuer.requests.count
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        let token = try bench.token()
                        group.addTask { _ = try await bench.exchange(token) }
                    }
                    try await group.waitForAll()
                }
                #expect(bench.issuer.requests.count == asked + 2)
                bench.shop.clock.advance(seconds: 31)
                try bench.issuer.rotate(to: "second")
            }
        }
    }

    @Test func `claims and times of a token have to fit`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let wrong: [(claim: String, value: JSONValue, said: String)] = [
                ("repository", "acme/shopping", "repository is acme/shopping"),
                ("environment", "staging", "environment is staging"),
                ("environment", .null, "environment is not there"),
                ("ref", "refs/heads/other", "ref is refs/heads/other"),
                ("ref", "refs/heads/main-2", "ref is refs/heads/main-2"),
                ("ref", "refs/heads/mai", "ref is refs/heads/mai"), ("ref", "main", "ref is main"),
                ("ref", "refs/tags/main", "ref is refs/tags/main"),
                ("ref", "refs/pull/17/merge", "ref is refs/pull/17/merge"), ("ref", .null, "ref is not there"),
                ("workflow_ref", "acme/shop/.github/workflows/test.yml@refs/heads/main", "test.yml@refs/heads/main"),
                ("aud", "https://other.example.com", "the audience https://other.example.com"),
                ("aud", ["https://other.example.com", "https://third.example.com"], "third.example.com"),
                ("iss", "https://token.actions.githubusercontent.com", "does not trust the issuer"),
                ("iss", .string(bench.issuer.url + "/"), "does not trust the issuer"), ("iss", 7, "no issuer"),
                ("jti", .null, "used twice"), ("jti", "", "used twice"), ("exp", .null, "when it expires"),
                ("exp", "soon", "when it expires"), ("iat", "now", "iat is no time"),
                ("environment", ["production"], "environment is not there"),
                ("repository", .null, "repository is not there"),
            ]
            for (claim, value, said) in wrong {
                let message = try await bench.refusal(of: bench.token([claim: value]))
                #expect(message.contains(said), "\(claim) \(value): \(message)")
            }
            // Of several audiences one is enough, and a text may be longer where the trust says so.
            let several: JSONObject = [
                "aud": ["https://other.example.com", .string(ExchangeBench.audience)],
                "workflow_ref": "acme/shop/.github/workflows/release.yml@refs/tags/v1",
            ]
            _ = try await bench.exchange(bench.token(several))
        }
    }

    @Test func `a token counts while it holds, with a minute for clocks`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let now = Int(bench.shop.clock.now.timeIntervalSince1970)
            for (claim, seconds, said) in [
                ("exp", -61, "expired"), ("nbf", 62, "begins to hold"), ("iat", 62, "begins to hold"),
                ("exp", 12 * 3_600 + 2, "more than 12 hours"),
            ] {
                let message = try await bench.refusal(of: bench.token([claim: .integer(now + seconds)]))
                #expect(message.contains(said), "\(claim) \(seconds): \(message)")
            }
            for (claim, seconds) in [("exp", -58), ("nbf", 58), ("iat", 58), ("exp", 12 * 3_600 - 2)] {
                _ = try await bench.exchange(bench.token([claim: .integer(now + seconds)]))
            }
            #expect(try await bench.refusal(of: bench.token(["exp": .integer(.max)])).contains("when it expires"))
        }
    }

    @Test func `no algorithm and no key of the token's own choice is taken`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let whole = try bench.token()
            let parts = whole.split(separator: ".").map(String.init)
            func with(_ header: JSONObject, _ signature: String) -> String {
                "\(Issuer.encode(header)).\(parts[1]).\(signature)"
            }
            let unsigned = with(["alg": "none", "kid": "first"], "")
            #expect(try await bench.refusal(of: unsigned).contains("algorithm"))
            #expect(try await bench.refusal(of: with(["alg": "nOnE", "kid": "first"], "")).contains("algorithm"))
            // HMAC with the public key as its secret (RFC 8725, section 2.1).
            let header: JSONObject = ["alg": "HS256", "kid": "first"]
            let secret = SymmetricKey(data: Data(bench.issuer.publicText.utf8))
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(Issuer.encode(header)).\(parts[1])".utf8), using: secret)
            #expect(try await bench.refusal(of: with(header, Issuer.encode([UInt8](code)))).contains("algorithm"))
            // The right signature under the name of another algorithm.
            for name in ["RS512", "PS256", "ES256", "EdDSA"] {
                let message = try await bench.refusal(of: with(["alg": .string(name), "kid": "first"], parts[2]))
                #expect(message.contains("signature is not"), "\(name): \(message)")
            }
            // A key in the token, and one at an address of its choice, are nobody's.
            let thief = try await Issuer()
            let own = try thief.token(
                bench.issuer.job(now: bench.shop.clock.now),
                header: ["kid": "first", "jku": .string(thief.url + "/keys")])
            #expect(try await bench.refusal(of: own).contains("signature is not"))
            #expect(thief.requests.isEmpty)
            #expect(try await bench.refusal(of: bench.token(header: ["kid": "second"])).contains("no key \"second\""))
            #expect(try await bench.refusal(of: bench.token(header: ["kid": .null])).contains("does not name its key"))
            #expect(try await bench.refusal(of: bench.token(header: ["crit": ["exp"]])).contains("crit"))
            // What was signed is what counts.
            let other = Issuer.encode(bench.issuer.job(now: bench.shop.clock.now, ["environment": "production "]))
            #expect(try await bench.refusal(of: "\(parts[0]).\(other).\(parts[2])").contains("signature is not"))
            for broken in [
                "", ".", "..", "a.b", parts[0] + "." + parts[1], whole + ".", whole + ".x",
                whole.replacing(".", with: " "),
                "\(parts[0]).\(parts[1])=.\(parts[2])", String(repeating: "a", count: 20_000),
                String(repeating: ".", count: 1 << 20),
                "\(parts[0])..\(parts[2])",
                "\(Issuer.encode(Array("{\"alg\":\"RS256\",\"alg\":\"none\",\"kid\":\"first\"}".utf8))).\(parts[1]).\(parts[2])",
            ] {
                let message = try await bench.refusal(of: broken)
                #expect(message.contains("no JSON Web Token"), "\(broken.prefix(40)): \(message)")
            }
            // And the true one is still good.
            _ = try await bench.exchange(whole)
        }
    }

    @Test func `keys of other kinds verify, and keys for other uses do not`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let (curve, edwards) = (P256.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
            let (larger, point) = (P384.Signing.PrivateKey(), [UInt8](curve.publicKey.rawRepresentation))
            let wide = [UInt8](larger.publicKey.rawRepresentation)
            let p256: JSONObject = [
                "kty": "EC", "crv": "P-256", "x": .string(Issuer.encode(Array(point.prefix(32)))),
                "y": .string(Issuer.encode(Array(point.suffix(32)))),
            ]
            func key(_ id: String, _ json: JSONObject, _ others: JSONObject = [:]) -> JSONObject {
                var json = json
                json["kid"] = .string(id)
                for member in others.members { json[member.key] = member.value }
                return json
            }
            let okp: JSONObject = [
                "kty": "OKP", "crv": "Ed25519",
                "x": .string(Issuer.encode([UInt8](edwards.publicKey.rawRepresentation))),
            ]
            bench.issuer.change { state in
                state.others = [
                    ["kty": "XYZ", "kid": "unknown"], key("es", p256, ["use": "sig"]), key("ed", okp),
                    key(
                        "es384",
                        [
                            "kty": "EC", "crv": "P-384", "x": .string(Issuer.encode(Array(wide.prefix(48)))),
                            "y": .string(Issuer.encode(Array(wide.suffix(48)))),
                        ]), key("encryption", p256, ["use": "enc"]), key("private", p256, ["d": "AAAA"]),
                    key("other", p256, ["alg": "ES384"]), key("short", p256, ["x": "AAAA"]),
                ]
            }
            func signed(_ id: String, _ name: String) throws -> String {
                let header: JSONObject = ["alg": .string(name), "kid": .string(id)]
                let text = Issuer.encode(header) + "." + Issuer.encode(bench.issuer.job(now: bench.shop.clock.now))
                let data = Data(text.utf8)
                let signature =
                    switch name {
                    case "EdDSA": try edwards.signature(for: data)
                    case "ES384": try larger.signature(for: data).rawRepresentation
                    default: try curve.signature(for: data).rawRepresentation
                    }
                return text + "." + Issuer.encode([UInt8](signature))
            }
            for (id, name) in [("es", "ES256"), ("ed", "EdDSA"), ("es384", "ES384")] {
                _ = try await bench.exchange(signed(id, name))
            }
            for id in ["encryption", "private", "short", "unknown"] {
                #expect(try await bench.refusal(of: signed(id, "ES256")).contains("no key \"\(id)\""))
            }
            #expect(try await bench.refusal(of: signed("other", "ES256")).contains("signature is not"))
        }
    }

    @Test func `an issuer is asked for its keys once an hour, and for new ones at once`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            for _ in 0..<3 { _ = try await bench.exchange(bench.token()) }
            #expect(bench.issuer.requests == ["/.well-known/openid-configuration", "/keys"])
            // A key id that nobody knows costs the issuer nothing until half a minute is over.
            bench.shop.clock.advance(seconds: 29)
            for _ in 0..<3 { _ = try await bench.refusal(of: bench.token(header: ["kid": "made-up"])) }
            #expect(bench.issuer.requests.count == 2)
            bench.shop.clock.advance(seconds: 2)
            try bench.issuer.rotate(to: "second")
            _ = try await bench.exchange(bench.token())
            #expect(bench.issuer.requests.count == 4)
            // While the issuer is away its keys count for a day.
            bench.issuer.change { $0.isAway = true }
            bench.shop.clock.advance(seconds: 7_200)
            _ = try await bench.exchange(bench.token())
            bench.shop.clock.advance(days: 1)
            #expect(try await bench.refusal(of: bench.token(), .unreachable).contains("cannot be read"))
            bench.issuer.change { $0.isAway = false }
            bench.shop.clock.advance(seconds: 31)
            _ = try await bench.exchange(bench.token())
            // A key that the issuer took back is no longer good.
            try bench.issuer.rotate(to: "third", dropping: true)
            let old = try bench.token(header: ["kid": "second"])
            bench.shop.clock.advance(seconds: 31)
            _ = try await bench.exchange(bench.token())
            #expect(try await bench.refusal(of: old).contains("no key \"second\""))
        }
    }

    @Test func `keys are the issuer's own, or where the trust says`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            bench.issuer.change { $0.keysURL = "https://127.0.0.1:1/keys" }
            #expect(try await bench.refusal(of: bench.token(), .unreachable).contains("cannot be read now"))
            #expect(bench.issuer.requests == ["/.well-known/openid-configuration"])
            bench.shop.clock.advance(seconds: 31)
            bench.issuer.change { ($0.keysURL, $0.name) = (nil, "https://example.com") }
            #expect(try await bench.refusal(of: bench.token(), .unreachable).contains("cannot be read now"))
            #expect(!bench.issuer.requests.contains("/keys"))
        }
        try await ExchangeBench.with(keysURL: "/elsewhere") { (bench) async throws in
            // Its discovery document is not read, whatever it says.
            bench.issuer.change { $0.name = "https://example.com" }
            _ = try await bench.exchange(bench.token())
            #expect(bench.issuer.requests == ["/elsewhere"])
        }
        // A trust with another place for the keys does not admit what these keys verify.
        try await ExchangeBench.with(keysURL: "/elsewhere") { (bench) async throws in
            let thief = try await Issuer()
            _ = try await ExchangeBench.trust(
                bench.shop, bench.issuer, claims: ["sub": "anything"], keysURL: thief.url + "/keys",
                actions: [.release],
                name: "other")
            let claims = bench.issuer.job(now: bench.shop.clock.now)
            let message = try await bench.refusal(of: thief.token(claims))
            #expect(message.contains("sub is repo:acme/shop"), "\(message)")
            // Nor is it said what trusts ask for.
            #expect(!message.contains("anything") && !message.contains("other"), "\(message)")
        }
    }

    @Test func `an issuer on the server's own network is asked only where the operator allows it`() async throws {
        try await ExchangeBench.with(internalIssuers: false) { (bench) async throws in
            #expect(try await bench.refusal(of: bench.token(), .unreachable).contains("cannot be read now"))
            #expect(bench.issuer.requests.isEmpty)
        }
    }
}
