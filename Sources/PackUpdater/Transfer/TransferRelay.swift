import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a URL session tells about its tasks, by their identifier.
enum TransferEvent: Sendable {
    case response(Int, HTTPURLResponse)
    case data(Int, Data)
    case finished(Int, (any Error)?)
}

/// Hands a session's delegate calls on, in order, and decides nothing but redirects. Delegates of single tasks would be
/// simpler, but on Linux they get no calls (measured, Swift 6.3).
final class TransferRelay: NSObject, URLSessionDataDelegate {
    private let events: AsyncStream<TransferEvent>.Continuation

    init(_ events: AsyncStream<TransferEvent>.Continuation) {
        self.events = events
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        events.yield(.response(dataTask.taskIdentifier, response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        events.yield(.data(dataTask.taskIdentifier, data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.yield(.finished(task.taskIdentifier, error))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A redirect out of TLS would show everybody on the way what this device asks for.
        let isDowngrade = task.originalRequest?.url?.scheme == "https" && request.url?.scheme != "https"
        completionHandler(isDowngrade ? nil : request)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        events.finish()
    }
}
