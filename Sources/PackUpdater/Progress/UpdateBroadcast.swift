import PackFormat

/// Gives each event to everybody who listens. Nobody who listens slowly holds an update up: the oldest events are dropped.
final class UpdateBroadcast: Sendable {
    private struct State {
        var next = 0
        var listeners: [Int: AsyncStream<UpdateEvent>.Continuation] = [:]
    }

    /// Events that wait for a slow listener.
    private static let bufferCount = 256
    private let state = Locked(State())

    func stream() -> AsyncStream<UpdateEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UpdateEvent.self, bufferingPolicy: .bufferingNewest(Self.bufferCount))
        let id = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    func send(_ event: UpdateEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }
}
