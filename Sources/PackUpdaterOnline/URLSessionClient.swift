import Foundation
import PackHTTP
import PackUpdater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends an updater's requests with its own session.
final class URLSessionClient: NetworkClient {
    private let session: LazySession
    private let relay = TransferRelay()

    init(_ limits: NetworkLimits) {
        session = LazySession(relay) { configuration in
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            if let parallelism = limits.parallelism { configuration.httpMaximumConnectionsPerHost = parallelism }
            configuration.timeoutIntervalForRequest = Double(limits.stall.components.seconds)
            if let total = limits.total { configuration.timeoutIntervalForResource = Double(total.components.seconds) }
        }
    }

    func exchange(_ request: NetworkRequest) -> any NetworkExchange {
        var asked = URLRequest(url: request.url)
        asked.httpMethod = request.method
        asked.httpBody = request.body.map { Data($0) }
        // What arrives is what is counted: no transparent decompression.
        asked.acceptPlainAnswer(upTo: request.maximumByteCount)
        for (name, value) in request.fields { asked.setValue(value, forHTTPHeaderField: name) }
        return Exchange(task: session().dataTask(with: asked), relay: relay)
    }

    private struct Exchange: NetworkExchange {
        let task: URLSessionDataTask
        let relay: TransferRelay

        func start(_ attempt: DownloadAttempt) {
            relay.add(attempt, for: task)
            task.resume()
        }

        var received: Int? { relay.received(task) }
        func cancel(_ error: any Error) { relay.cancel(task, error) }
        func end(_ error: any Error) { relay.end(task, error) }
    }
}
