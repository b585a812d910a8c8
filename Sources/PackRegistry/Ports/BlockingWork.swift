import Foundation
import PackRegistryAPI
import Synchronization

/// Runs work that waits for disks and locks on its own thread. On the two or four threads that all async code shares,
/// it would stop everything else.
package enum BlockingWork {
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result(catching: body).mapError { RegistryError(from: $0) ?? $0 })
            }
        }
    }

    /// Like ``run(_:)``, for work that checks now and then whether it must stop, because its time is over or its task
    /// was cancelled.
    package static func runCancellable<Value: Sendable>(
        for time: Duration?, _ body: @escaping @Sendable (_ isOver: @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let end = time.map { ContinuousClock.now + $0 }
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await run { try body { isCancelled.withLock { $0 } || end.map { $0 < .now } ?? false } }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
