import Foundation
import Synchronization

/// Runs work on all cores and returns the results in order.
package enum ConcurrentMap {
    /// More threads than this only wait for each other and hold memory.
    private static let maximumWorkerCount = 8

    private static func workerCount(for count: Int) -> Int {
        max(1, min(ProcessInfo.processInfo.activeProcessorCount, maximumWorkerCount, count))
    }

    private struct Work<Result> {
        var next = 0
        var results: [Result?]
        var failure: (index: Int, error: any Error)?
    }

    /// Runs two functions at the same time.
    package static func both<First: Sendable, Second: Sendable>(
        _ first: @Sendable () throws -> First, _ second: @Sendable () throws -> Second
    ) -> (Result<First, any Error>, Result<Second, any Error>) {
        let results = Mutex<(Result<First, any Error>?, Result<Second, any Error>?)>((nil, nil))
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            if index == 0 {
                let result = Result { try first() }
                results.withLock { $0.0 = result }
            } else {
                let result = Result { try second() }
                results.withLock { $0.1 = result }
            }
        }
        let (one, other) = results.withLock { $0 }
        // Both have run; the cases without a value are for the compiler.
        return (one ?? Result { try first() }, other ?? Result { try second() })
    }

    /// Calls `body` for each number below `count`.
    ///
    /// Numbers are handed out in order and started work is finished. So of several failures the first one counts,
    /// whatever the number of cores.
    /// - Throws: what `body` throws for the smallest number.
    package static func run<Result: Sendable>(
        _ count: Int, _ body: @Sendable (Int) throws -> Result
    ) throws -> [Result] {
        try run(count, worker: {}) { _, index in try body(index) }
    }

    /// The same with something that each thread makes for itself and uses for all its numbers.
    static func run<Worker: ~Copyable, Result: Sendable>(
        _ count: Int, worker makeWorker: @Sendable () throws -> Worker,
        _ body: @Sendable (inout Worker, Int) throws -> Result
    ) throws -> [Result] {
        let work = Mutex(Work<Result>(results: Array(repeating: nil, count: count)))
        DispatchQueue.concurrentPerform(iterations: workerCount(for: count)) { _ in
            var worker: Worker
            do {
                worker = try makeWorker()
            } catch {
                work.withLock { $0.failure = $0.failure ?? (0, error) }
                return
            }
            while let index = work.withLock({ work -> Int? in
                guard work.failure == nil, work.next < count else { return nil }
                defer { work.next += 1 }
                return work.next
            }) {
                do {
                    let result = try body(&worker, index)
                    work.withLock { $0.results[index] = result }
                } catch {
                    work.withLock { work in
                        if index < work.failure?.index ?? .max { work.failure = (index, error) }
                    }
                }
            }
        }
        let (results, failure) = work.withLock { ($0.results, $0.failure) }
        if let failure { throw failure.error }
        return results.compactMap { $0 }
    }
}
