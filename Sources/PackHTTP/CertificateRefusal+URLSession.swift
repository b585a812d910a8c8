import Foundation
package import PackFormat

extension CertificateRefusal {
    /// - Parameter error: An error of URLSession. Foundation on Linux has no code for these refusals (6.3:
    ///   `NSURLErrorUnknown` for all TLS errors of libcurl), so there the text decides.
    package init?(_ error: any Error) {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain else { return nil }
        switch error.code {
        case NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateNotYetValid: self = .outOfDate
        case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot: self = .unknownAuthority
        case NSURLErrorUnknown: self.init(text: error.localizedDescription)
        default: return nil
        }
    }
}
