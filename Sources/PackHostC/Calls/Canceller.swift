import PackFormat

/// A call that others may end: its canceller, or its host when it is closed.
protocol StoppableCall: AnyObject, Sendable {
    func stop(_ fault: CallFault)
}

/// Cancels calls from another thread than theirs, for good: a call that is given a used one ends at once.
final class Canceller: Sendable {
    private struct State {
        var isCancelled = false
        var calls: [ObjectIdentifier: any StoppableCall] = [:]
    }

    private let state = Locked(State())

    func cancel() {
        let calls = state.withLock { state in
            state.isCancelled = true
            return Array(state.calls.values)
        }
        for call in calls { call.stop(.cancelled) }
    }

    func add(_ call: any StoppableCall) {
        let isCancelled = state.withLock { state in
            state.calls[ObjectIdentifier(call)] = call
            return state.isCancelled
        }
        if isCancelled { call.stop(.cancelled) }
    }

    func remove(_ call: any StoppableCall) {
        state.withLock { $0.calls[ObjectIdentifier(call)] = nil }
    }
}
