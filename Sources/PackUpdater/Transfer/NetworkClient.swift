import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One request of a transport.
package struct NetworkRequest: Sendable {
    package let url: URL
    package var method = "GET"
    /// Besides those of the client.
    package var fields: [String: String] = [:]
    package var body: [UInt8]?
    /// The longest body of an answer in bytes. A client that reads on while nobody looks ends the answer there; the
    /// attempt counts too.
    package var maximumByteCount: Int

    init(_ url: URL, maximumByteCount: Int) {
        self.url = url
        self.maximumByteCount = maximumByteCount
    }
}

/// The status and the fields of an answer.
package struct NetworkHead {
    package let status: Int
    /// The value of a field by its name, in whichever case; nil if the answer does not have it.
    package let field: (String) -> String?

    package init(status: Int, field: @escaping (String) -> String?) {
        self.status = status
        self.field = field
    }

    /// The content coding (RFC 9110 section 8.4.1), where it is another than the only one that requests allow; nil if the
    /// answer complies.
    var unwantedCoding: String? { ContentEncodingField.unwanted(field("Content-Encoding")) }
}

/// Sends requests: URLSession (`PackUpdaterOnline`), or libcurl where Foundation's networking is not linked (`PackCurl`).
///
/// Every client asks for no content coding, keeps no cookies and no cache, follows redirects but none out of TLS, and says
/// who it is.
package protocol NetworkClient: Sendable {
    /// Prepares a request; nothing is sent before its start.
    func exchange(_ request: NetworkRequest) -> any NetworkExchange
}

/// One request and its answer.
package protocol NetworkExchange: Sendable {
    /// Sends the request. The attempt gets the head, then the bytes, then the end, one call at a time.
    func start(_ attempt: DownloadAttempt)
    /// The bytes of the body that came so far; nil when the exchange has ended.
    var received: Int? { get }
    /// Ends it with an error of ours; returns at once.
    func cancel(_ error: any Error)
    /// Ends it with an error of ours, whether the client says so or not.
    func end(_ error: any Error)
}

/// Makes the clients of an updater.
public struct UpdaterNetwork: Sendable {
    let client: @Sendable (NetworkLimits) -> any NetworkClient

    package init(client: @escaping @Sendable (NetworkLimits) -> any NetworkClient) {
        self.client = client
    }
}

/// What a client keeps to by itself.
package struct NetworkLimits: Hashable, Sendable {
    /// Connections to one host at the same time; nil: as many as the client likes.
    package var parallelism: Int?
    /// The longest time without a byte.
    package var stall: Duration
    /// The longest time of a whole exchange; nil: no limit.
    package var total: Duration?
}
