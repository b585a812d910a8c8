import Foundation
import PackFormat

/// A request that the app performs for a page. Its events wait here until the page asks for them.
///
/// The waiting events are limited: from ``holdingByteCount`` on, the call's ``place`` holds work back until the page
/// has read. Then a file is not read further, and no more of the network's data waits than ``Backlog`` allows.
final class BridgedFetch: Sendable {
    /// Bytes of data from which on work is held back: some batches, because a bridge has hundreds of calls.
    static let holdingByteCount = 1 << 20
    /// Bytes of data in one answer to the page.
    static let batchSize = 512 << 10

    private struct State: Sendable {
        var events: [HookEvent] = []
        var byteCount = 0
        var hasEnded = false
        /// Nobody asks for its events, so none are kept.
        var isUnread: Bool
        /// Work that waits for the page, in its order.
        var held: [@Sendable () -> Void] = []
        /// Somebody does what is held: work is done one piece after the other.
        var isWorking = false
        var waiter: CheckedContinuation<Void, Never>?
        var stop: (@Sendable () -> Void)?
        var touched: ContinuousClock.Instant

        var holds: Bool { byteCount > BridgedFetch.holdingByteCount && !hasEnded }
    }

    let origin: String
    /// The request is to end when its page has left: it is then unread and not cancelled.
    let isKeptAlive: Bool
    private let state: Locked<State>

    init(origin: String, isUnread: Bool = false, isKeptAlive: Bool = false, now: ContinuousClock.Instant) {
        self.origin = origin
        self.isKeptAlive = isKeptAlive
        state = Locked(State(isUnread: isUnread, touched: now))
    }

    /// Bytes that wait for the page.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Where what brings the events is to do its work: it waits there while the page does not read.
    var place: CallbackPlace {
        CallbackPlace { work in
            self.state.withLock { $0.held.append(work) }
            self.goOn()
        }
    }

    /// Does what is held, as far as the page has read.
    private func goOn() {
        let isFirst = state.withLock { state in
            defer { state.isWorking = true }
            return !state.isWorking
        }
        guard isFirst else { return }
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.holds, !state.held.isEmpty else {
                state.isWorking = false
                return nil
            }
            return state.held.removeFirst()
        }
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
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.hasEnded else { return nil }
            switch event {
            case .data(let data):
                if state.isUnread { return nil }
                state.byteCount += data.count
            case .sent, .response:
                if state.isUnread { return nil }
            case .end, .error:
                (state.hasEnded, state.stop) = (true, nil)
            }
            state.events.append(event)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The page has left: the call is cancelled, or goes on unread (``becomeUnread()``).
    func leave() {
        guard isKeptAlive else {
            cancel()
            return
        }
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
        goOn()
    }

    /// From now on nobody asks for the events, and what waits is dropped. ``leave()`` is to follow.
    /// - Returns: whether the call is still under way.
    func becomeUnread() -> Bool {
        state.withLock { state in
            (state.isUnread, state.events, state.byteCount) = (true, [], 0)
            return !state.hasEnded
        }
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
        goOn()
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
        defer { goOn() }
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
