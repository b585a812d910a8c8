import Dispatch
import Foundation
import Synchronization

/// Threads that wait for a database, so that no thread that async code shares ever does.
final class DatabaseThreads: Sendable {
    private final class Queue: Sendable {
        /// nil ends the thread that takes it.
        private let jobs = Mutex<[(@Sendable () -> Void)?]>([])
        private let count = DispatchSemaphore(value: 0)

        func put(_ job: (@Sendable () -> Void)?) {
            jobs.withLock { $0.append(job) }
            count.signal()
        }

        func take() -> (@Sendable () -> Void)? {
            count.wait()
            return jobs.withLock { $0.removeFirst() }
        }
    }

    private let queue = Queue()
    private let threadCount: Int

    init(_ name: String, count: Int) {
        threadCount = count
        for _ in 0..<count {
            let thread = Thread { [queue] in
                while let job = queue.take() { job() }
            }
            thread.name = name
            thread.start()
        }
    }

    deinit {
        for _ in 0..<threadCount { queue.put(nil) }
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.put { continuation.resume(with: Result(catching: body)) }
        }
    }
}
