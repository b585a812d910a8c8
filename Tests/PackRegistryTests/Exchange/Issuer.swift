import Crypto
import CryptoExtras
import Foundation
import PackJSON
import Synchronization
import TestSupport

/// An issuer of id tokens on loopback, as a CI system has one: a discovery document, keys, and tokens by them.
final class Issuer: Sendable {
    struct State {
        var keys: [(id: String, key: _RSA.Signing.PrivateKey)] = []
        /// More keys, as JSON.
        var others: [JSONObject] = []
        /// What the discovery document says instead.
        var name: String?
        var keysURL: String?
        var isAway = false
        var requests: [String] = []
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared = Shared()
    private let server: LoopbackServer

    /// What it writes in `iss`.
    var url: String { server.endpoint }

    /// The paths of what it was asked for.
    var requests: [String] { shared.state.withLock { $0.requests } }

    init() async throws {
        let shared = shared
        server = try await LoopbackServer { request in
            shared.state.withLock { state in
                state.requests.append(request.path)
                guard !state.isAway else { return .close }
                let base = "http://\(request.field("host") ?? "")"
                let document: JSONObject
                switch request.path {
                case "/.well-known/openid-configuration":
                    document = [
                        "issuer": .string(state.name ?? base), "jwks_uri": .string(state.keysURL ?? base + "/keys"),
                    ]
                case "/keys", "/elsewhere":
                    document = [
                        "keys": .array(
                            (state.keys.compactMap { try? Self.json($0.id, $0.key) } + state.others).map { .object($0) }
                        )
                    ]
                default: return .answer(404)
                }
                return .answer(200, body: Array(JSONValue.object(document).compactText.utf8))
            }
        }
        try rotate(to: "first")
    }

    func change(_ body: (inout State) -> Void) { shared.state.withLock { body(&$0) } }

    /// A new key beside those of before.
    func rotate(to id: String, dropping old: Bool = false) throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        change { state in
            if old { state.keys = [] }
            state.keys.append((id, key))
        }
    }

    private static func json(_ id: String, _ key: _RSA.Signing.PrivateKey) throws -> JSONObject {
        let parts = try key.publicKey.getKeyPrimitives()
        return [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(id),
            "n": .string(encode([UInt8](parts.modulus))), "e": .string(encode([UInt8](parts.publicExponent))),
        ]
    }

    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func encode(_ json: JSONObject) -> String { encode(Array(JSONValue.object(json).compactText.utf8)) }

    /// The public key of the newest pair, as text: an attacker's secret for HMAC.
    var publicText: String { shared.state.withLock { $0.keys.last?.key.publicKey.pemRepresentation ?? "" } }

    /// A token by the newest key.
    func token(_ claims: JSONObject, header: JSONObject = [:]) throws -> String {
        guard let (id, key) = shared.state.withLock({ $0.keys.last }) else { return "" }
        var head: JSONObject = ["alg": "RS256", "typ": "JWT", "kid": .string(id)]
        for member in header.members { head[member.key] = member.value }
        let signed = Self.encode(head) + "." + Self.encode(claims)
        let signature = try key.signature(for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
        return signed + "." + Self.encode([UInt8](signature.rawRepresentation))
    }

    /// What GitHub says of a job, with other values where they are given.
    func job(_ id: String = UUID().uuidString, now: Date, _ others: JSONObject = [:]) -> JSONObject {
        let time = Int(now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string(url), "aud": "https://packages.example.com", "jti": .string(id), "iat": .integer(time - 5),
            "nbf": .integer(time - 300), "exp": .integer(time + 300), "repository": "acme/shop", "run_number": 17,
            "workflow_ref": "acme/shop/.github/workflows/release.yml@refs/heads/main", "environment": "production",
            "ref": "refs/heads/main", "sub": "repo:acme/shop:environment:production", "runner": .bool(true),
        ]
        for member in others.members { claims[member.key] = member.value }
        return claims
    }
}
