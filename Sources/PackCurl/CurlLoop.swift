import CCurlExchange
import Dispatch
import PackFormat
import PackUpdater

/// The exchanges of one client over one pool of connections, on one thread while any of them runs.
final class CurlLoop: Sendable {
    private struct State {
        /// To be started by the thread.
        var new: [CurlExchange] = []
        var isRunning = false
    }

    /// Used by one thread at a time, but for being woken. Nil if there is no memory.
    nonisolated(unsafe) private let pool: OpaquePointer?
    private let queue = DispatchQueue(label: "packtool.curl")
    private let state = Locked(State())

    /// - Parameter connections: To one host at the same time; 0: as many as libcurl likes.
    init(connections: Int) {
        pool = packtool_curl_pool_new(connections)
    }

    deinit {
        guard let pool else { return }
        let held = packtool_hold_sigpipe()
        packtool_curl_pool_free(pool)
        packtool_release_sigpipe(held)
    }

    func start(_ exchange: CurlExchange) {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            state.new.append(exchange)
            return !state.isRunning
        }
        if isFirst { queue.async { self.run() } } else { wake() }
    }

    /// Makes the thread look at what was started and cancelled.
    func wake() {
        if let pool { packtool_curl_wake(pool) }
    }

    private func run() {
        let held = packtool_hold_sigpipe()
        defer { packtool_release_sigpipe(held) }
        var calls: [CurlCall] = []
        while true {
            let new = state.withLock { state -> [CurlExchange]? in
                defer { state.new = [] }
                state.isRunning = !state.new.isEmpty || !calls.isEmpty
                return state.isRunning ? state.new : nil
            }
            guard let new else { return }
            for exchange in new {
                if let pool, let call = CurlCall(exchange, on: pool) {
                    calls.append(call)
                } else {
                    exchange.finish(TransferFailure.connection("libcurl cannot send it", nil))
                }
            }
            // Freed by its end, which takes it from the pool.
            calls.removeAll { $0.exchange.isOver }
            guard let pool else { continue }
            packtool_curl_turn(pool)
            while let ended = CurlCall.nextEnded(on: pool) {
                if !ended.goesOn { calls.removeAll { $0 === ended.call } }
            }
            if !calls.isEmpty { packtool_curl_wait(pool, 1000) }
        }
    }
}
