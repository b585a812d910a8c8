import Foundation

/// Runs work that waits for disks and locks on a thread of its own: on the two or four threads that all async code
/// shares it would stop everybody else.
enum BlockingWork {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result(catching: body))
            }
        }
    }
}
