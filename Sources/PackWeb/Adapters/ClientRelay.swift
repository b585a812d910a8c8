import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Says a transfer's events to a `URLProtocol`'s client. The gate before it keeps them in order and one at a time.
final class ClientRelay: Sendable {
    nonisolated(unsafe) private let owner: URLProtocol
    private let url: URL
    private let pending = Locked(Data())

    init(_ owner: URLProtocol, url: URL) {
        self.owner = owner
        self.url = url
    }

    func receive(_ event: TransferEvent) {
        guard let client = owner.client else { return }
        switch event {
        case .response(let head):
            // The page's own URL, also where the online copy answered: it is the base of what the page loads next.
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: head.headers)
            else { return }
            client.urlProtocol(owner, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .data(let data):
            #if canImport(Darwin)
                client.urlProtocol(owner, didLoad: data)
            #else
                pending.withLock { $0 += data }
            #endif
        case .finished:
            let data = pending.withLock { $0 }
            if !data.isEmpty { client.urlProtocol(owner, didLoad: data) }
            client.urlProtocolDidFinishLoading(owner)
        case .failed(let error):
            client.urlProtocol(owner, didFailWithError: error)
        }
    }
}

extension CallbackPlace {
    /// The thread and run loop mode at hand, where the system keeps a run loop for it (Apple): calling a client from
    /// elsewhere crashes in `CFURLProtocol_NS::forgetProtocolClient`. On Linux the client hops to the session's
    /// delegate queue itself, and the thread that starts a request runs no loop.
    static func startingThread() -> CallbackPlace {
        #if canImport(Darwin)
            guard let loop = CFRunLoopGetCurrent() else { return .inPlace }
            nonisolated(unsafe) let target = loop
            nonisolated(unsafe) let mode: CFRunLoopMode? = CFRunLoopCopyCurrentMode(loop) ?? .defaultMode
            return CallbackPlace { work in
                CFRunLoopPerformBlock(target, mode?.rawValue, work)
                CFRunLoopWakeUp(target)
            }
        #else
            return .inPlace
        #endif
    }
}
