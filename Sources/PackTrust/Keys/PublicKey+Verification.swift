import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PublicKey {
    /// The parsed key; nil if the kind is unknown or the value is not a key of its kind.
    enum Material {
        case ecdsa(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey, padding: _RSA.Signing.Padding)
    }

    var material: Material? {
        switch scheme {
        case .ecdsa:
            (try? P256.Signing.PublicKey(pemRepresentation: value)).map { .ecdsa($0) }
        case .ed25519:
            [UInt8](hexadecimal: value).flatMap { try? Curve25519.Signing.PublicKey(rawRepresentation: $0) }
                .map { .ed25519($0) }
        case .rsaPSS:
            (try? _RSA.Signing.PublicKey(pemRepresentation: value)).map { .rsa($0, padding: .PSS) }
        case .rsaPKCS1:
            (try? _RSA.Signing.PublicKey(pemRepresentation: value)).map { .rsa($0, padding: .insecurePKCS1v1_5) }
        case nil: nil
        }
    }

    /// Whether the holder of the private key signed exactly these bytes. Bytes that are not a signature are invalid.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch material {
        case .ecdsa(let key):
            guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(parsed, for: message)
        case .ed25519(let key):
            return signature.count == 64 && key.isValidSignature(signature, for: message)
        case .rsa(let key, let padding):
            let parsed = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(parsed, for: SHA256.hash(data: message), padding: padding)
        case nil:
            return false
        }
    }

    /// Whether two entries are one key, however each is written down: one key counts once toward a threshold.
    func isSameKey(as other: PublicKey) -> Bool {
        switch (material, other.material) {
        case (.ecdsa(let left), .ecdsa(let right)): left.rawRepresentation == right.rawRepresentation
        case (.ed25519(let left), .ed25519(let right)): left.rawRepresentation == right.rawRepresentation
        case (.rsa(let left, _), .rsa(let right, _)): left.derRepresentation == right.derRepresentation
        default: self == other
        }
    }
}
