import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// The proxy's key and its own certificate for `*.package`, newly made for each proxy. The key is never written to
/// disk.
struct LoopbackIdentity {
    let certificatePEM: String
    let certificateBytes: [UInt8]
    private let key: P256.Signing.PrivateKey

    /// Long enough that a kiosk that is never restarted does not see its end.
    private static let lifetime: TimeInterval = 10 * 365 * 86_400

    init(hosts: [String], now: Date = Date()) throws {
        key = P256.Signing.PrivateKey()
        let signer = Certificate.PrivateKey(key)
        let name = try DistinguishedName { CommonName("packtool on this device") }
        let names = ["*.package"] + hosts
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: signer.publicKey,
            notValidBefore: now.addingTimeInterval(-86_400), notValidAfter: now.addingTimeInterval(Self.lifetime),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                // It can vouch for nobody else: who trusts it trusts this one proxy.
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map { .dnsName($0) })
            }, issuerPrivateKey: signer)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        certificateBytes = serializer.serializedBytes
        certificatePEM = PEMDocument(type: "CERTIFICATE", derBytes: certificateBytes).pemString + "\n"
    }

    func serverContext() throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: certificateBytes, format: .der)
        let privateKey = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}
