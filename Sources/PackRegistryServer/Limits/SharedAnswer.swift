import PackRegistryAPI
import Synchronization

/// What several ask for at once and is found out once, and what nobody waits for longer than a time: a probe or a monitor gives up
/// long before a database that is away is given up.
final class SharedAnswer<Value: Sendable>: Sendable {
    private let time: Duration
    private let find: @Sendable () async throws -> Value
    private let underWay = Mutex<Task<Value, any Error>?>(nil)

    init(within time: Duration, _ find: @escaping @Sendable () async throws -> Value) {
        self.time = time
        self.find = find
    }

    /// - Throws: what finding out throws; ``RegistryError`` of the kind `.unreachable` when the time is over. What takes
    ///   longer goes on, and is what those get who ask meanwhile.
    func value() async throws -> Value {
        let task = underWay.withLock { underWay in
            if let underWay { return underWay }
            let task = Task {
                defer { self.underWay.withLock { $0 = nil } }
                return try await find()
            }
            underWay = task
            return task
        }
        let (answers, answer) = AsyncStream<Result<Value, any Error>?>.makeStream()
        let waiting = Task { answer.yield(await task.result) }
        let timer = Task {
            try await Task.sleep(for: time)
            answer.yield(nil)
        }
        defer {
            waiting.cancel()
            timer.cancel()
        }
        for await result in answers {
            guard let result else { break }
            return try result.get()
        }
        throw RegistryError(.unreachable, "there was no answer within \(time.components.seconds) seconds")
    }
}
