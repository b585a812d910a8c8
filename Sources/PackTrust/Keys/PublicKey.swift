import Crypto
import CryptoExtras
import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The public half of a key, as metadata contains it (§4.2, §4.3 KEYS).
///
/// A key of an unknown type is kept and can be passed on, but no signature by it is ever valid.
public struct PublicKey: Sendable, Hashable {
    /// The name by which the document lists the key: the SHA-256 of its canonical JSON.
    public let id: String
    /// Nil for an unknown kind of key.
    public let scheme: KeyScheme?
    /// The key value in metadata: a PEM text, or hexadecimal digits for Ed25519.
    public let value: String
    let fields: MetadataFields

    /// Makes a key of a known kind from the value in metadata.
    /// - Throws: ``TrustError/invalidKey(reason:)``
    public init(scheme: KeyScheme, value: String) throws(TrustError) {
        let object: JSONObject = [
            "keytype": .string(scheme.keyType), "scheme": .string(scheme.rawValue),
            "keyval": .object(["public": .string(value)]),
        ]
        self.scheme = scheme
        self.value = value
        fields = MetadataFields(object)
        id = Self.id(of: object)
        guard material != nil else { throw .invalidKey(reason: "it is not a public \(scheme.rawValue) key") }
    }

    /// Parses a PEM public key (SPKI) of any known kind.
    /// - Throws: ``TrustError/invalidKey(reason:)``
    public init(pem: String) throws(TrustError) {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
            try self.init(scheme: .ecdsa, value: key.pemRepresentation + "\n")
        } else if let key = try? Curve25519.Signing.PublicKey(pemRepresentation: pem) {
            try self.init(scheme: .ed25519, value: Array(key.rawRepresentation).hexadecimal)
        } else if let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) {
            try self.init(scheme: .rsaPSS, value: key.pemRepresentation + "\n")
        } else {
            throw .invalidKey(reason: "it is no PEM public key of type P-256, Ed25519 or RSA with 2048 bits or more")
        }
    }

    /// Reads a key under the id that the document gives it. §4.3: the id must be the hash of the key. Keys are met
    /// whose id was made before somebody added fields of their own; such an id still names this key and no other.
    init(reading object: JSONObject, id: String) throws {
        let keyType = try object.string("keytype")
        let schemeName = try object.string("scheme")
        let keyValue = try object.object("keyval")
        let bare: JSONObject = [
            "keytype": .string(keyType), "scheme": .string(schemeName), "keyval": .object(keyValue),
        ]
        guard id.isExactly(Self.id(of: object)) || id.isExactly(Self.id(of: bare)) else {
            throw MetadataFault("the key id \(id) is not the hash of its key")
        }
        self.id = id
        scheme = KeyScheme(keyType: keyType, scheme: schemeName)
        value = scheme == nil ? "" : try keyValue.string("public")
        fields = MetadataFields(object)
    }

    private static func id(of object: JSONObject) -> String {
        Array(SHA256.hash(data: JSONValue.object(object).canonicalBytes)).hexadecimal
    }

    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.id.isExactly(right.id) && left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        for byte in id.utf8 { hasher.combine(byte) }
    }
}
