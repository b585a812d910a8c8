import Crypto
import CryptoExtras
import Foundation
import PackJSON

/// A public key of an issuer (RFC 7517, RFC 7518, RFC 8037), and the signatures that it verifies.
///
/// Neither `none`, nor HMAC, whose secret a public key could be taken for (RFC 8725, section 2.1): a key verifies what key pairs of
/// its kind sign.
struct JSONWebKey: Sendable {
    private enum Material: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    /// The values of `alg` in a token's header that some key can verify.
    static let algorithms: Set<String> = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
    ]

    let id: String
    /// The only algorithm that it may be used with; nil: any of its kind.
    private let algorithm: String?
    private let material: Material

    /// nil for a key without an id, of a kind or size that is not used here, not for signatures, or with its private part.
    init?(_ json: JSONObject) {
        func text(_ name: String) -> String? { json[name].flatMap { try? $0.string() } }
        func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Base64URL.decode($0) } }
        guard let id = text("kid"), json["d"] == nil, json["use"] == nil || text("use") == "sig",
            let material = Self.material(text("kty"), text("crv"), bytes)
        else { return nil }
        self.id = id
        self.material = material
        algorithm = json["alg"].map { (try? $0.string()) ?? "" }
    }

    private static func material(_ kind: String?, _ curve: String?, _ bytes: (String) -> [UInt8]?) -> Material? {
        switch (kind, curve) {
        case ("RSA", _):
            // swift-crypto refuses less than 2,048 bits (RFC 7518, section 3.3).
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            return (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)).map { .rsa($0) }
        case ("EC", "P-256"): return point(bytes, 32).flatMap { try? .p256(.init(x963Representation: $0)) }
        case ("EC", "P-384"): return point(bytes, 48).flatMap { try? .p384(.init(x963Representation: $0)) }
        case ("OKP", "Ed25519"): return bytes("x").flatMap { try? .ed25519(.init(rawRepresentation: $0)) }
        default: return nil
        }
    }

    /// A point of a curve, uncompressed (SEC 1, section 2.3.3).
    private static func point(_ bytes: (String) -> [UInt8]?, _ size: Int) -> [UInt8]? {
        guard let x = bytes("x"), let y = bytes("y"), x.count == size, y.count == size else { return nil }
        return [4] + x + y
    }

    /// - Parameter name: `alg` of the token.
    func isValid(_ signature: [UInt8], for signed: [UInt8], by name: String) -> Bool {
        guard algorithm == nil || algorithm == name else { return false }
        switch (material, name) {
        case (.rsa(let key), "RS256"): return Self.rsa(key, signature, SHA256.hash(data: signed), .insecurePKCS1v1_5)
        case (.rsa(let key), "RS384"): return Self.rsa(key, signature, SHA384.hash(data: signed), .insecurePKCS1v1_5)
        case (.rsa(let key), "RS512"): return Self.rsa(key, signature, SHA512.hash(data: signed), .insecurePKCS1v1_5)
        case (.rsa(let key), "PS256"): return Self.rsa(key, signature, SHA256.hash(data: signed), .PSS)
        case (.rsa(let key), "PS384"): return Self.rsa(key, signature, SHA384.hash(data: signed), .PSS)
        case (.rsa(let key), "PS512"): return Self.rsa(key, signature, SHA512.hash(data: signed), .PSS)
        case (.p256(let key), "ES256"):
            return (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: signed)
            } ?? false
        case (.p384(let key), "ES384"):
            return (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: signed)
            } ?? false
        case (.ed25519(let key), "EdDSA"): return key.isValidSignature(signature, for: signed)
        default: return false
        }
    }

    private static func rsa(
        _ key: _RSA.Signing.PublicKey, _ signature: [UInt8], _ digest: some Digest, _ padding: _RSA.Signing.Padding
    ) -> Bool {
        key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: padding)
    }
}
