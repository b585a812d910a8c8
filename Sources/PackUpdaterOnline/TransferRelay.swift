import Foundation
import PackFormat
import PackHTTP
import PackUpdater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes a session's delegate calls to its transfers, on the session's own queue. An answer is refused before
/// another byte is kept, however busy the rest of the program is.
///
/// Delegates of single tasks would be simpler, but on Linux they get no calls (measured, Swift 6.3).
final class TransferRelay: NSObject, URLSessionDataDelegate {
    private let transfers = Locked<[Int: DownloadAttempt]>([:])

    func add(_ transfer: DownloadAttempt, for task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    /// The bytes that came so far; nil when the task has ended.
    func received(_ task: URLSessionTask) -> Int? {
        transfers.withLock { $0[task.taskIdentifier]?.received }
    }

    /// Ends a task whether the session says so or not.
    func end(_ task: URLSessionTask, _ error: any Error) {
        let ended = transfers.withLock { transfers in
            task.cancel()
            return transfers.removeValue(forKey: task.taskIdentifier)
        }
        guard var transfer = ended else { return }
        transfer.refuse(error)
        transfer.finish(nil)
    }

    /// Ends a task with an error of our own. Under the lock, so that no redirect is answered after it: Foundation on Linux
    /// stops the process then.
    func cancel(_ task: URLSessionTask, _ error: any Error) {
        transfers.withLock { transfers in
            transfers[task.taskIdentifier]?.refuse(error)
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = transfers.withLock { transfers in
            guard let response = response as? HTTPURLResponse else { return false }
            let head = NetworkHead(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }
            return transfers[dataTask.taskIdentifier]?.receive(head) ?? false
        }
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isWanted = transfers.withLock { $0[dataTask.taskIdentifier]?.receive(data) ?? false }
        if !isWanted { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.finish(error.map(Self.failure))
    }

    private static func failure(_ error: any Error) -> any Error {
        if (error as? URLError)?.code == .cancelled { return CancellationError() }
        return TransferFailure.connection((error as NSError).localizedDescription, CertificateRefusal(error))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A redirect out of TLS would show everybody on the way what this device asks for.
        let isDowngrade = task.originalRequest?.url?.scheme == "https" && request.url?.scheme != "https"
        transfers.withLock { transfers in
            guard let transfer = transfers[task.taskIdentifier], !transfer.isRefused else { return }
            completionHandler(isDowngrade ? nil : request)
        }
    }
}
