#if canImport(FoundationNetworking)
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension HTTPURLResponse {
    /// The content coding (RFC 9110 section 8.4.1) of an answer to a request that allowed `identity` only; nil where it kept
    /// to that. URLSession undoes a coding without a limit, so that a few kilobytes may become gigabytes: refuse the answer.
    package var unwantedCoding: String? {
        guard let coding = value(forHTTPHeaderField: "Content-Encoding"), coding.lowercased() != "identity" else {
            return nil
        }
        return String(coding.prefix(40))
    }
}
