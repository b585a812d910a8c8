import Foundation
import PackFormat
import PackHTTP
import Testing

@Suite struct CertificateRefusalTests {
    private func refusal(_ text: String, _ code: Int = NSURLErrorUnknown) -> CertificateRefusal? {
        CertificateRefusal(NSError(domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text]))
    }

    @Test func `what libcurl says of a certificate is told apart`() {
        #expect(refusal("SSL certificate problem: unable to get local issuer certificate") == .unknownAuthority)
        #expect(refusal("SSL certificate problem: self-signed certificate in certificate chain") == .unknownAuthority)
        #expect(refusal("server certificate verification failed. CAfile: none CRLfile: none") == .unknownAuthority)
        #expect(refusal("SSL certificate problem: certificate has expired") == .outOfDate)
        #expect(refusal("SSL certificate problem: certificate is not yet valid") == .outOfDate)
        #expect(
            refusal("SSL: no alternative certificate subject name matches target host name '127.0.0.1'") == .otherName)
        #expect(refusal("x", NSURLErrorServerCertificateUntrusted) == .unknownAuthority)
    }

    @Test func `other failures are not about the certificate`() {
        #expect(refusal("OpenSSL SSL_connect: Connection reset by peer in connection to x:443") == nil)
        #expect(refusal("Could not resolve host: certificate.example", NSURLErrorCannotFindHost) == nil)
        #expect(refusal("Failed to connect to x port 1: Connection refused") == nil)
        #expect(CertificateRefusal(CancellationError()) == nil)
    }
}
