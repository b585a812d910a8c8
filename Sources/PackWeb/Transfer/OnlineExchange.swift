public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What became of one request that went out, redirects included: for an app's measurements.
public struct OnlineExchange: Hashable, Sendable {
    public let method: String
    /// Where the page's request went first.
    public let url: URL?
    /// Of the last answer; nil where none came.
    public internal(set) var status: Int?
    /// Of the body as the page got it.
    public internal(set) var byteCount = 0
    /// Redirects that were followed.
    public internal(set) var hopCount = 0
    public internal(set) var duration = Duration.zero
    /// Why it failed or was cancelled; nil where it came to its end.
    public internal(set) var error: String?

    init(_ request: URLRequest) {
        method = request.httpMethod ?? "GET"
        url = request.url
    }
}
