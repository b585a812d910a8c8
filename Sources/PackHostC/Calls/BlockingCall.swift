import Dispatch
import PackFormat
import PackHost
import PackUpdater

/// One function of C that waits on its caller's thread for work of a host, which runs elsewhere.
///
/// When the time is over or somebody ends the call, the thread goes on at once, and the work is cancelled. What the work does from then
/// on reaches nobody: events are handed over by the waiting thread only.
final class BlockingCall<Value: Sendable>: StoppableCall {
    private struct State {
        var events: [UpdateEvent] = []
        /// The ends of updates among all events.
        var ends: [UpdateEvent] = []
        var outcome: Result<Value, any Error>?
        var stop: CallFault?
    }

    /// Events that wait for a slow callback; the oldest go.
    private static var maximumEventCount: Int { 256 }

    private let state = Locked(State())
    private let signal = DispatchSemaphore(value: 0)

    private init() {}

    /// - Parameters:
    ///   - deliver: gets each event on this thread; false ends the call.
    ///   - work: gets the call, for its events.
    static func run(
        on open: OpenHost, _ limits: CallLimits, deliver: (UpdateEvent) -> Bool = { _ in true },
        _ work: @escaping @Sendable (PackHost, BlockingCall) async throws -> Value
    ) throws -> Value {
        let call = BlockingCall()
        try open.begin(call)
        limits.canceller?.add(call)
        defer { limits.canceller?.remove(call) }
        let task = Task.detached {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await work(open.host, call)) } catch { outcome = .failure(error) }
            open.end(call)
            call.put { $0.outcome = outcome }
        }
        do {
            return try call.wait(until: limits.deadline, deliver)
        } catch {
            task.cancel()
            throw error
        }
    }

    func stop(_ fault: CallFault) {
        put { state in
            if state.stop == nil { state.stop = fault }
        }
    }

    func put(_ event: UpdateEvent) {
        put { state in
            if state.events.count >= Self.maximumEventCount { state.events.removeFirst() }
            state.events.append(event)
            switch event {
            case .finished, .failed: state.ends.append(event)
            case .checking, .progress: break
            }
        }
    }

    /// Whether the end of an update was among the events, and so everything before it.
    func hasSeen(_ end: UpdateEvent) -> Bool { state.withLock { $0.ends.contains(end) } }

    private func put(_ change: (inout State) -> Void) {
        state.withLock(change)
        signal.signal()
    }

    private func wait(until deadline: DispatchTime, _ deliver: (UpdateEvent) -> Bool) throws -> Value {
        while true {
            let isInTime = signal.wait(timeout: deadline) == .success
            let (events, outcome, stop) = state.withLock { state in
                defer { state.events = [] }
                return (state.events, state.outcome, state.stop)
            }
            for event in events where !deliver(event) {
                guard let outcome else { throw CallFault.cancelled }
                return try outcome.get()
            }
            if let outcome { return try outcome.get() }
            if let stop { throw stop }
            if !isInTime { throw CallFault.timedOut }
        }
    }
}
