import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A private key in memory.
///
///     let key = try PrivateKey.generate(.ed25519)
///     let document = try SignedDocument(unsigned: targets).signed(by: key)
///
/// Its description never shows the private half.
public struct PrivateKey: Signer, CustomStringConvertible, CustomReflectable {
    private enum Material: Sendable {
        case ecdsa(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsaPSS(_RSA.Signing.PrivateKey)
    }

    public let publicKey: PublicKey
    private let material: Material

    private init(_ material: Material) throws(TrustError) {
        self.material = material
        switch material {
        case .ecdsa(let key):
            publicKey = try PublicKey(scheme: .ecdsa, value: key.publicKey.pemRepresentation + "\n")
        case .ed25519(let key):
            publicKey = try PublicKey(scheme: .ed25519, value: Array(key.publicKey.rawRepresentation).hexadecimal)
        case .rsaPSS(let key):
            publicKey = try PublicKey(scheme: .rsaPSS, value: key.publicKey.pemRepresentation + "\n")
        }
    }

    /// Makes a new key; RSA keys have 3,072 bits.
    /// - Throws: ``TrustError/invalidKey(reason:)`` if the system provides no randomness.
    public static func generate(_ scheme: KeyScheme) throws(TrustError) -> PrivateKey {
        switch scheme {
        case .ecdsa: return try PrivateKey(.ecdsa(P256.Signing.PrivateKey()))
        case .ed25519: return try PrivateKey(.ed25519(Curve25519.Signing.PrivateKey()))
        case .rsaPSS:
            let key: _RSA.Signing.PrivateKey
            do { key = try _RSA.Signing.PrivateKey(keySize: .bits3072) } catch {
                throw .invalidKey(reason: "no RSA key could be made: \(error)")
            }
            return try PrivateKey(.rsaPSS(key))
        case .rsaPKCS1: throw .invalidKey(reason: "\(scheme.rawValue) is verified only: make an rsassa-pss-sha256 key")
        }
    }

    /// Parses a PEM private key: PKCS#8, or SEC 1 (P-256) and PKCS#1 (RSA).
    /// - Throws: ``TrustError/invalidKey(reason:)``
    public init(pem: String) throws(TrustError) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            try self.init(.ecdsa(key))
        } else if let key = try? Curve25519.Signing.PrivateKey(pemRepresentation: pem) {
            try self.init(.ed25519(key))
        } else if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) {
            try self.init(.rsaPSS(key))
        } else {
            if pem.contains("PUBLIC KEY") {
                throw .invalidKey(reason: "it is a public key, and signing needs the private key that belongs to it")
            }
            throw .invalidKey(reason: "it is no PEM private key of type P-256, Ed25519 or RSA with 2048 bits or more")
        }
    }

    /// The private key as PKCS#8 PEM. Anybody who has it can sign: keep it in a ``KeyFile``.
    public var pem: String {
        switch material {
        case .ecdsa(let key): key.pemRepresentation
        case .ed25519(let key): key.pemRepresentation
        case .rsaPSS(let key): key.pkcs8PEMRepresentation
        }
    }

    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch material {
        case .ecdsa(let key): Array(try key.signature(for: message).derRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        case .rsaPSS(let key):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .PSS).rawRepresentation)
        }
    }

    public var description: String { "private key of \(publicKey.id)" }
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}
