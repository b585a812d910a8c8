import Dispatch
import Synchronization

/// Waits for async work on a thread that may be blocked: one of ``BlockingWork``, or a queue's own, never one of those that all async
/// code shares.
enum AsyncWork {
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
            outcome.isThere.signal()
        }
        outcome.isThere.wait()
        guard let result = outcome.result.withLock(\.self) else { throw CancellationError() }
        return try result.get()
    }
}
