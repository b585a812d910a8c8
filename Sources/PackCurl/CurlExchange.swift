import PackFormat
import PackUpdater

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request as its transport sees it, from any thread. ``CurlCall`` is the same as the loop's thread sees it.
final class CurlExchange: NetworkExchange {
    private struct State {
        /// Nil before the start, and after the end.
        var attempt: DownloadAttempt?
        /// The loop drops it.
        var isOver = false
    }

    let request: NetworkRequest
    let limits: NetworkLimits
    private let loop: CurlLoop
    private let state = Locked(State())

    init(_ request: NetworkRequest, _ limits: NetworkLimits, _ loop: CurlLoop) {
        self.request = request
        self.limits = limits
        self.loop = loop
    }

    // MARK: The transport

    func start(_ attempt: DownloadAttempt) {
        state.withLock { $0.attempt = attempt }
        loop.start(self)
    }

    var received: Int? { state.withLock { $0.attempt?.received } }

    /// What was not started cannot be cancelled: its transport ends it.
    func cancel(_ error: any Error) { end(error) }

    func end(_ error: any Error) {
        let ended = state.withLock { state -> DownloadAttempt? in
            guard var attempt = state.attempt else { return nil }
            attempt.refuse(error)
            state.attempt = nil
            state.isOver = true
            return attempt
        }
        guard let ended else { return }
        loop.wake()
        ended.finish(nil)
    }

    // MARK: The loop

    var isOver: Bool { state.withLock { $0.isOver } }

    /// - Returns: whether the body may come.
    func receive(_ head: NetworkHead) -> Bool { state.withLock { $0.attempt?.receive(head) ?? false } }

    /// - Returns: whether more may come.
    func receive(_ data: Data) -> Bool { state.withLock { $0.attempt?.receive(data) ?? false } }

    func finish(_ error: (any Error)?) {
        let ended = state.withLock { state in
            defer { state.attempt = nil }
            state.isOver = true
            return state.attempt
        }
        ended?.finish(error)
    }
}
