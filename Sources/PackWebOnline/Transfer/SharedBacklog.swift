import PackFormat

/// How much data from the network waits for the clients of all requests of a session.
final class SharedBacklog: Sendable {
    /// Bytes, above which a request that has more than a little waiting gets no more, and fails.
    static let maximumByteCount = 4 * Backlog.maximumByteCount

    private let waiting = Locked(0)

    /// Bytes that wait.
    var byteCount: Int { waiting.withLock { $0 } }

    /// - Parameter isLittle: whether the request is one of those that the others must not harm.
    /// - Returns: whether there was room; if there was none, they do not wait.
    func add(_ count: Int, isLittle: Bool) -> Bool {
        waiting.withLock { waiting in
            guard isLittle || waiting <= Self.maximumByteCount - count else { return false }
            waiting += count
            return true
        }
    }

    func remove(_ count: Int) { waiting.withLock { $0 -= count } }
}
