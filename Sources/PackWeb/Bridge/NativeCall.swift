import Foundation
import PackFormat

/// A request that the app performs for a page: its events wait here until the page asks for them.
///
/// What waits is bounded: a page that does not read fast enough is told of an error when ``maximumByteCount`` is
/// reached, because a transport cannot be asked to wait (Foundation ignores it on Linux).
final class NativeCall: Sendable {
    static let maximumByteCount = 64 << 20
    /// Bytes of data in one answer to the page.
    static let batchSize = 512 << 10

    private struct State: Sendable {
        var events: [HookEvent] = []
        var byteCount = 0
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
        var stop: (@Sendable () -> Void)?
        var touched: ContinuousClock.Instant
    }

    let origin: String
    /// Nobody asks for its events, so none are kept.
    private let isUnread: Bool
    private let state: Locked<State>

    init(origin: String, isUnread: Bool = false, now: ContinuousClock.Instant) {
        self.origin = origin
        self.isUnread = isUnread
        state = Locked(State(touched: now))
    }

    /// When the page last asked.
    var touched: ContinuousClock.Instant { state.withLock { $0.touched } }

    /// Says how the request is stopped; if it has been already, stops it.
    func onStop(_ stop: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.hasEnded { state.stop = stop }
            return state.hasEnded
        }
        if isOver { stop() }
    }

    func push(_ event: HookEvent) {
        let (waiter, stop) = state.withLock {
            state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            guard !state.hasEnded else { return (nil, nil) }
            var stop: (@Sendable () -> Void)?
            switch event {
            case .data, .sent, .response: if isUnread { return (nil, nil) }
            case .end, .error: break
            }
            switch event {
            case .data(let data):
                state.byteCount += data.count
                if state.byteCount > Self.maximumByteCount {
                    state.events.append(.error(name: "network", message: "the page does not read the answer"))
                    state.hasEnded = true
                    stop = state.stop
                } else {
                    state.events.append(event)
                }
            case .end, .error:
                state.events.append(event)
                state.hasEnded = true
            case .sent, .response:
                state.events.append(event)
            }
            if state.hasEnded { state.stop = nil }
            defer { state.waiter = nil }
            return (state.waiter, stop)
        }
        waiter?.resume()
        stop?()
    }

    /// Stops the request; the page hears nothing more.
    func cancel() {
        let (waiter, stop) = state.withLock { state in
            defer { (state.waiter, state.stop) = (nil, nil) }
            state.events = []
            state.byteCount = 0
            state.hasEnded = true
            return (state.waiter, state.stop)
        }
        waiter?.resume()
        stop?()
    }

    /// The next events, when there are some, or none after `patience`: the page then asks again.
    func read(patience: Duration, now: ContinuousClock.Instant) async -> (events: [HookEvent], isOver: Bool) {
        let clock = Task {
            // Cancelled, it must not wake the reader that comes next.
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            self.state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }?.resume()
        }
        defer { clock.cancel() }
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                state.touched = now
                // Two reads at once: the second gets what there is, which may be nothing.
                if !state.events.isEmpty || state.hasEnded || state.waiter != nil { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            var taken: [HookEvent] = []
            var size = 0
            while let event = state.events.first, size < Self.batchSize {
                state.events.removeFirst()
                if case .data(let data) = event { size += data.count }
                taken.append(event)
            }
            state.byteCount -= size
            return (taken, state.hasEnded && state.events.isEmpty)
        }
    }
}
