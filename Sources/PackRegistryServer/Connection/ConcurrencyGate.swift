import PackRegistryAPI
import Synchronization

/// Runs a limited number of operations and refuses the others at once, instead of queueing them until their clients
/// have given up.
final class ConcurrencyGate: Sendable {
    struct State: Sendable {
        let limit: Int
        var running = 0
        /// Since the start.
        var refused = 0
    }

    private let current: Mutex<State>

    init(limit: Int) {
        current = Mutex(State(limit: limit))
    }

    var state: State { current.withLock { $0 } }

    /// - Throws: ``RegistryError`` of kind `busy` if the gate is full.
    func pass<Result>(_ operation: () async throws -> Result) async throws -> Result {
        let state = current.withLock { state in
            if state.running < state.limit {
                state.running += 1
                return nil as State?
            }
            state.refused += 1
            return state
        }
        if let state {
            throw RegistryError(
                .busy, "the registry is busy with \(state.limit) requests of this kind; try again shortly")
        }
        defer { current.withLock { $0.running -= 1 } }
        return try await operation()
    }
}
