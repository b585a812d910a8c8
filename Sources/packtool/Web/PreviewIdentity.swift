import Crypto
import Foundation
import NIOSSL
import SwiftASN1

/// A key and a certificate for one host of a preview, made at its start and known to one browser profile. The key never leaves
/// this process.
struct PreviewIdentity {
    let configuration: TLSConfiguration
    /// SHA-256 of the public key's SubjectPublicKeyInfo in base64, by which Chromium is told to trust it.
    let fingerprint: String

    init(host: String) throws {
        let key = P256.Signing.PrivateKey()
        fingerprint = Data(SHA256.hash(data: key.publicKey.derRepresentation)).base64EncodedString()
        let certificate = try NIOSSLCertificate(bytes: Self.certificate(for: host, key), format: .der)
        let secret = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(secret))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        self.configuration = configuration
    }

    private static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]
    private static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
    private static let subjectAlternativeName: ASN1ObjectIdentifier = [2, 5, 29, 17]

    /// A certificate that the key itself has signed (RFC 5280 section 4.1).
    private static func certificate(for host: String, _ key: P256.Signing.PrivateKey) throws -> [UInt8] {
        var content = DER.Serializer()
        try content.appendConstructedNode(identifier: .sequence) { fields in
            // Version 3.
            try fields.serialize(2, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
            try fields.serialize(1)
            try algorithm(&fields)
            try name(host, &fields)
            try fields.appendConstructedNode(identifier: .sequence) { dates in
                try dates.serialize(UTCTime(year: 2025, month: 1, day: 1, hours: 0, minutes: 0, seconds: 0))
                try dates.serialize(UTCTime(year: 2049, month: 1, day: 1, hours: 0, minutes: 0, seconds: 0))
            }
            try name(host, &fields)
            fields.serializeRawBytes(Array(key.publicKey.derRepresentation))
            try fields.serialize(explicitlyTaggedWithTagNumber: 3, tagClass: .contextSpecific) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { try names(host, &$0) }
            }
        }
        let signed = content.serializedBytes
        let signature = try key.signature(for: Data(signed)).derRepresentation
        var whole = DER.Serializer()
        try whole.appendConstructedNode(identifier: .sequence) { parts in
            parts.serializeRawBytes(signed)
            try algorithm(&parts)
            try parts.serialize(ASN1BitString(bytes: Array(signature)[...]))
        }
        return whole.serializedBytes
    }

    private static func algorithm(_ fields: inout DER.Serializer) throws {
        try fields.appendConstructedNode(identifier: .sequence) { try $0.serialize(ecdsaWithSHA256) }
    }

    private static func name(_ host: String, _ fields: inout DER.Serializer) throws {
        try fields.appendConstructedNode(identifier: .sequence) { names in
            try names.appendConstructedNode(identifier: .set) { parts in
                try parts.appendConstructedNode(identifier: .sequence) { part in
                    try part.serialize(commonName)
                    try part.serialize(ASN1UTF8String(host))
                }
            }
        }
    }

    /// The extension with the host (RFC 5280 section 4.2.1.6).
    private static func names(_ host: String, _ extensions: inout DER.Serializer) throws {
        var names = DER.Serializer()
        names.appendConstructedNode(identifier: .sequence) { list in
            list.appendPrimitiveNode(identifier: ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific)) {
                $0.append(contentsOf: Array(host.utf8))
            }
        }
        let value = names.serializedBytes
        try extensions.appendConstructedNode(identifier: .sequence) { one in
            try one.serialize(subjectAlternativeName)
            try one.serialize(ASN1OctetString(contentBytes: value[...]))
        }
    }
}
