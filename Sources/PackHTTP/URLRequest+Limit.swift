#if canImport(FoundationNetworking)
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension URLRequest {
    /// Requests the file without a content coding, and limits the answer to this many bytes.
    ///
    /// The caller counts too. On Linux that is too late: Foundation reads on while the caller has not seen what came before,
    /// and a cancellation waits behind all that, so an answer without an end took gigabytes (measured, Swift 6.3). There
    /// `CCurlHandles`, which executables link, ends the transfer, and takes the field off.
    /// - Parameter byteCount: The largest body in bytes. One byte more is accepted, so that the caller notices a
    ///   larger body.
    package mutating func acceptPlainAnswer(upTo byteCount: Int) {
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        #if canImport(FoundationNetworking)
            setValue("\(max(1, byteCount))", forHTTPHeaderField: "Packtool-Answer-Limit")
        #endif
    }
}
