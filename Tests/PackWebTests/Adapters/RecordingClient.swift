import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import PackWeb

@testable import PackWebOnline

/// A loading system's end of a `URLProtocol`, which says what it was told, in which order and on which thread.
final class RecordingClient: NSObject, URLProtocolClient, @unchecked Sendable {
    enum Call: Equatable {
        case redirect(to: String, status: Int)
        case response(Int)
        case data(Int)
        case end
        case error(Int)
    }

    private let lock = NSLock()
    private var said: [Call] = []
    private var isStopped = false
    private(set) var lateCalls = 0
    private(set) var wrongThreads = 0
    private let thread: LoopThread?

    init(expecting thread: LoopThread? = nil) {
        self.thread = thread
    }

    var calls: [Call] { lock.withLock { said } }

    /// From now on every call is one too many.
    func stop() { lock.withLock { isStopped = true } }

    private func note(_ call: Call) {
        lock.withLock {
            said.append(call)
            if isStopped { lateCalls += 1 }
            if let thread, !thread.isCurrent { wrongThreads += 1 }
        }
    }

    func urlProtocol(_: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        let status = (redirectResponse as? HTTPURLResponse)?.statusCode ?? 0
        note(.redirect(to: "\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")", status: status))
    }

    func urlProtocol(_: URLProtocol, cachedResponseIsValid: CachedURLResponse) {}

    func urlProtocol(_: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy: URLCache.StoragePolicy) {
        note(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
    }

    func urlProtocol(_: URLProtocol, didLoad data: Data) { note(.data(data.count)) }
    func urlProtocolDidFinishLoading(_: URLProtocol) { note(.end) }
    func urlProtocol(_: URLProtocol, didFailWithError error: any Error) { note(.error((error as NSError).code)) }
    func urlProtocol(_: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {}
    func urlProtocol(_: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}

    /// Waits until the last call is an end.
    func ended() async throws -> [Call] {
        for _ in 0..<1000 {
            switch calls.last {
            case .end, .error: return calls
            default: try await Task.sleep(for: .milliseconds(5))
            }
        }
        Issue.record("no end: \(calls)")
        return calls
    }
}

/// A thread that does what it is given, one thing after the other: a run loop's place in a test.
final class LoopThread: @unchecked Sendable {
    private let condition = NSCondition()
    private var work: [@Sendable () -> Void] = []
    private var isOver = false
    private var thread: Thread?

    init() {
        let thread = Thread { self.run() }
        self.thread = thread
        thread.start()
    }

    var isCurrent: Bool { Thread.current === thread }

    var place: CallbackPlace {
        CallbackPlace { [self] work in
            condition.withLock {
                self.work.append(work)
                condition.signal()
            }
        }
    }

    func end() {
        condition.withLock {
            isOver = true
            condition.signal()
        }
    }

    private func run() {
        while true {
            let next: (@Sendable () -> Void)? = condition.withLock {
                while work.isEmpty, !isOver { condition.wait() }
                return work.isEmpty ? nil : work.removeFirst()
            }
            guard let next else { return }
            next()
        }
    }
}
