package import Foundation
import NIOSSL
import PackRegistryAPI
import PackSystem

/// A certificate with its chain to the root, and its private key, both PEM files.
package struct TLSFiles: Sendable {
    private let certificate: URL
    private let key: URL

    package init(certificate: URL, key: URL) {
        self.certificate = certificate
        self.key = key
    }

    /// TLS 1.2 and 1.3. HTTP/2 or HTTP/1.1 is agreed on in the handshake.
    /// - Throws: ``RegistryError`` that names the file.
    func configuration() throws -> TLSConfiguration {
        for file in [certificate, key] { try Self.requireReadable(file) }
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(certificate.path(percentEncoded: false))
        } catch {
            throw RegistryError(
                .invalid, "\(certificate.path(percentEncoded: false)) has no certificate in PEM form: \(error)")
        }
        let secret: NIOSSLPrivateKey
        do {
            secret = try NIOSSLPrivateKey(file: key.path(percentEncoded: false), format: .pem)
        } catch {
            throw RegistryError(
                .invalid, "\(key.path(percentEncoded: false)) has no private key in PEM form without a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(secret))
        configuration.minimumTLSVersion = .tlsv12
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw RegistryError(
                .invalid,
                "\(key.path(percentEncoded: false)) is not the key of the certificate in "
                    + "\(certificate.path(percentEncoded: false))")
        }
        return configuration
    }

    /// A file that is missing, or of another user, is told as that: as a key or certificate it would look damaged.
    private static func requireReadable(_ file: URL) throws(RegistryError) {
        do {
            close(try SystemCall.open(file, O_RDONLY))
        } catch {
            throw RegistryError(.invalid, error.description)
        }
    }
}
