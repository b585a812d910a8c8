import Dispatch
import PackFormat
import PackHost
import PackUpdater

/// One function of C that waits on its caller's thread for work of a host, which runs elsewhere.
///
/// When the time is over or somebody ends the call, its work is cancelled, and the thread goes on at once or after the callback that
/// it is in. What the work does from then on reaches nobody: events are handed over by the waiting thread only.
final class BlockingCall<Value: Sendable>: StoppableCall {
    private struct State {
        var events: [UpdateEvent] = []
        /// The ends of updates among all events.
        var ends: [UpdateEvent] = []
        var outcome: Result<Value, any Error>?
        /// Why the call ended before its work did. Then its outcome counts no more.
        var stop: CallFault?
        var task: Task<Void, Never>?

        var end: Result<Value, any Error>? { stop.map { .failure($0) } ?? outcome }

        /// Who ends a call wants no more events of it.
        mutating func nextEvent() -> UpdateEvent? { stop != nil || events.isEmpty ? nil : events.removeFirst() }
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
        call.start {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await work(open.host, call)) } catch { outcome = .failure(error) }
            open.end(call)
            call.put { $0.outcome = outcome }
        }
        return try call.wait(until: limits.deadline, deliver)
    }

    private func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task.detached { await work() }
        let isStopped = state.withLock { state in
            state.task = task
            return state.stop != nil
        }
        if isStopped { task.cancel() }
    }

    /// Ends the call and cancels its work, unless that has ended. Whoever ends it may wait for the work on the call's own thread, in a
    /// callback.
    func stop(_ fault: CallFault) {
        let task = state.withLock { state -> Task<Void, Never>? in
            if state.end == nil { state.stop = fault }
            return state.stop == nil ? nil : state.task
        }
        // Outside the lock: handlers of the cancellation run here.
        task?.cancel()
        signal.signal()
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
            // Events signal too, so a callback that is slower than they come never finds the time over here.
            var isLate = signal.wait(timeout: deadline) == .timedOut || .now() >= deadline
            while let event = state.withLock({ $0.nextEvent() }) {
                guard deliver(event) else {
                    stop(.cancelled)
                    break
                }
                isLate = .now() >= deadline
                if isLate { break }
            }
            if isLate { stop(.timedOut) }
            if let end = state.withLock({ $0.end }) { return try end.get() }
        }
    }
}
