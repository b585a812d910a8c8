import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends single requests and shows their answers as they came. Caches, cookies and redirects of the system stay out.
final class HTTPProbe: Sendable {
    struct Answer: Sendable {
        let status: Int
        /// By lower-case name.
        let fields: [String: String]
        let body: Data
    }

    private static let timeout: TimeInterval = 15

    private let session: URLSession
    private let refusal = RedirectRefusal()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpShouldSetCookies = false
        configuration.timeoutIntervalForRequest = Self.timeout
        session = URLSession(configuration: configuration, delegate: refusal, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    func get(_ url: URL, _ fields: [String: String] = [:], method: String = "GET") async throws -> Answer {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        guard let answer = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var found: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { found["\(name)".lowercased()] = "\(value)" }
        return Answer(status: answer.statusCode, fields: found, body: data)
    }
}

/// A redirect is an answer like any other.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
