import PackRegistryAPI
import Synchronization

/// Lets a bounded number of operations run and turns the others away at once, rather than letting them queue until
/// their clients have given up.
final class ConcurrencyGate: Sendable {
    private let limit: Int
    private let running = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// - Throws: ``RegistryError`` of kind `busy` where the gate is full.
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
