import Foundation
import PackRegistryAPI
import Synchronization

/// Runs work that waits for disks and locks on a thread of its own: on the two or four threads that all async code
/// shares it would stop everybody else.
package enum BlockingWork {
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result(catching: body).mapError { RegistryError(from: $0) ?? $0 })
            }
        }
    }

    /// As ``run(_:)``, for work that asks now and then whether it is over: the time is, or the task that waits for it was
    /// cancelled.
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
