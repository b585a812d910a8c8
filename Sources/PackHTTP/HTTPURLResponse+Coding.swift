import PackFormat

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension HTTPURLResponse {
    /// The content coding (RFC 9110 section 8.4.1) of an answer whose request allowed only `identity`; nil if the
    /// answer complies. URLSession decodes without a limit, so a few kilobytes may become gigabytes: refuse such an
    /// answer.
    package var unwantedCoding: String? {
        ContentEncodingField.unwanted(value(forHTTPHeaderField: "Content-Encoding"))
    }
}
