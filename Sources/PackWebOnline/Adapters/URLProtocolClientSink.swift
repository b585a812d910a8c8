import Foundation
import PackFormat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes a transfer's events to a `URLProtocol`'s client. The gate in front of it keeps them in order and one at a
/// time.
final class URLProtocolClientSink: Sendable {
    /// No Sendable type, and it is the system's. Sound, because it is used only while an event is passed on, one at a time:
    /// on Apple's platforms in the thread in which the system uses it (``CallbackPlace/startingThread()``); on Linux only
    /// for its client, which is set before a request starts, stays, and hops to the session's queue itself.
    nonisolated(unsafe) private let owner: URLProtocol
    private let url: URL
    private let reportsRedirects: Bool
    private let pending = Locked(Data())
    private let hop = Locked<URLRequest?>(nil)

    init(_ owner: URLProtocol, url: URL, reportsRedirects: Bool) {
        self.owner = owner
        self.url = url
        self.reportsRedirects = reportsRedirects
    }

    /// A redirect is the client's to follow where it can be told of one: its task shows the new address, and asks for
    /// it anew. Our own request ends with the redirect as its answer.
    func follows(_ next: URLRequest) -> URLRequest? {
        guard reportsRedirects else { return next }
        hop.withLock { $0 = next }
        return nil
    }

    func receive(_ event: TransferEvent) {
        defer {
            switch event {
            case .finished, .failed: (owner as? PackURLProtocol)?.forgetTransfer()
            case .response, .data: break
            }
        }
        guard let client = owner.client else { return }
        switch event {
        case .response(let head):
            // The page's own URL, also where the package's web site answered: it is the base of what the page loads next.
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: head.headers)
            else { return }
            if let next = hop.withLock({ $0 }) {
                client.urlProtocol(owner, wasRedirectedTo: next, redirectResponse: response)
                client.urlProtocol(owner, didFailWithError: URLError(.cancelled))
                return
            }
            client.urlProtocol(owner, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .data, .finished, .failed:
            // The redirect's own body is nobody's.
            if hop.withLock({ $0 == nil }) { receiveRest(event, client) }
        }
    }

    private func receiveRest(_ event: TransferEvent, _ client: any URLProtocolClient) {
        switch event {
        case .response: break
        case .data(let data):
            #if canImport(Darwin)
                client.urlProtocol(owner, didLoad: data)
            #else
                pending.withLock { $0 += data }
            #endif
        case .finished:
            let data = pending.withLock { pending in
                defer { pending = Data() }
                return pending
            }
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
            // In C a pointer, which may be used from any thread.
            nonisolated(unsafe) let target = loop
            let mode = (RunLoop.current.currentMode ?? .default).rawValue
            return CallbackPlace { work in
                CFRunLoopPerformBlock(target, NSString(string: mode), work)
                CFRunLoopWakeUp(target)
            }
        #else
            return .inPlace
        #endif
    }
}
