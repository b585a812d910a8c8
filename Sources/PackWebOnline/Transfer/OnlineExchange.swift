public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The outcome of one request that went out, with its redirects, for an app's measurements.
public struct OnlineExchange: Hashable, Sendable {
    public let method: String
    /// The first URL of the page's request.
    public let url: URL?
    /// The status of the last answer; nil if none arrived.
    public internal(set) var status: Int?
    /// The size of the body that the page got.
    public internal(set) var byteCount = 0
    /// The number of redirects that were followed.
    public internal(set) var hopCount = 0
    public internal(set) var duration = Duration.zero
    /// Why it failed or was cancelled; nil if it completed.
    public internal(set) var error: String?

    init(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        url = request.url
    }
}
