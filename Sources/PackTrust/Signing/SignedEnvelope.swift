import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signed bytes of any kind, in the form in which in-toto statements travel: a Dead Simple Signing Envelope (DSSE 1.0).
///
///     let envelope = try SignedEnvelope(statement, type: "application/vnd.in-toto+json", by: signers)
///     envelope.isSigned(by: key)
public struct SignedEnvelope: Sendable, Equatable {
    public struct Signature: Sendable, Equatable {
        public let keyID: String
        public let bytes: [UInt8]
    }

    /// The type of the payload, which is signed with it: bytes that were signed as something else do not count.
    public let payloadType: String
    public let payload: [UInt8]
    public let signatures: [Signature]

    public init(_ payload: [UInt8], type: String, by signers: [any Signer]) throws {
        self.payload = payload
        payloadType = type
        let signed = Self.encoding(type, payload)
        signatures = try signers.map { Signature(keyID: $0.publicKey.id, bytes: try $0.sign(signed)) }
    }

    /// Parses an envelope. Fields that it does not know are ignored, as DSSE 1.0 wants: they are signed by nobody.
    /// - Throws: ``TrustError/malformed(document:reason:)``
    public init(parsing bytes: [UInt8]) throws(TrustError) {
        do {
            let object = try JSONValue(parsing: bytes).object()
            payloadType = try object.string("payloadType")
            payload = try Self.decoded(object.string("payload"))
            signatures = try object.array("signatures").map { value in
                let signature = try value.object("signatures")
                return try Signature(
                    keyID: signature["keyid"]?.string("keyid") ?? "", bytes: Self.decoded(signature.string("sig")))
            }
        } catch let error as TrustError { throw error } catch {
            throw .malformed(document: "envelope", reason: "\(error)")
        }
    }

    private static func decoded(_ text: String) throws(TrustError) -> [UInt8] {
        guard let data = Data(base64Encoded: text) else {
            throw .malformed(document: "envelope", reason: "it has a field that is not base64")
        }
        return [UInt8](data)
    }

    /// The envelope as JSON.
    public var bytes: [UInt8] {
        let signatures = signatures.map { signature in
            JSONValue.object([
                "keyid": .string(signature.keyID), "sig": .string(Data(signature.bytes).base64EncodedString()),
            ])
        }
        return JSONValue.object([
            "payloadType": .string(payloadType), "payload": .string(Data(payload).base64EncodedString()),
            "signatures": .array(signatures),
        ]).canonicalBytes
    }

    /// Whether the holder of a key signed the payload as this type.
    public func isSigned(by key: PublicKey) -> Bool {
        let signed = Self.encoding(payloadType, payload)
        return signatures.contains { key.isValid($0.bytes, for: signed) }
    }

    /// The pre-authentication encoding of DSSE 1.0: what is signed.
    private static func encoding(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
    }
}
