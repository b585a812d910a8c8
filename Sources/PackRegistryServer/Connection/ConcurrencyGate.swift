import PackRegistryAPI
import Synchronization

/// Runs a limited number of operations and refuses the others at once, instead of queueing them until their clients
/// have given up.
final class ConcurrencyGate: Sendable {
    private let limit: Int
    private let running = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// - Throws: ``RegistryError`` of kind `busy` if the gate is full.
    func pass<Result>(_ operation: () async throws -> Result) async throws -> Result {
        let isAdmitted = running.withLock { running in
            guard running < limit else { return false }
            running += 1
            return true
        }
        guard isAdmitted else {
            throw RegistryError(.busy, "the registry is busy with \(limit) requests of this kind; try again shortly")
        }
        defer { running.withLock { $0 -= 1 } }
        return try await operation()
    }
}
