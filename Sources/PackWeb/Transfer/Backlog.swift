import PackFormat

/// How much from the network waits for one client, and what follows from it: the network waits, or the request ends.
struct Backlog: Sendable {
    /// Bytes. Foundation on Linux cannot make a request wait: there it fails above this.
    static let maximumByteCount = 64 << 20
    /// Bytes from which on the network waits, where it can. It goes on at half of it.
    static let pausingByteCount = 4 << 20

    private let all: SharedBacklog?
    private var byteCount = 0
    private var isPaused = false
    private var pause: (@Sendable (Bool) -> Void)?

    /// - Parameter all: what waits of other requests too.
    init(partOf all: SharedBacklog? = nil) {
        self.all = all
    }

    /// A request begins; one before it has ended.
    /// - Parameter pause: makes its network wait or go on; returns at once.
    mutating func begin(_ pause: @escaping @Sendable (Bool) -> Void) {
        self.pause = pause
        if isPaused { pause(true) }
    }

    /// - Returns: nil, or why there is no room: they do not wait then.
    mutating func add(_ count: Int) -> WebError? {
        guard byteCount <= Self.maximumByteCount - count else {
            return .notRead(byteCount: Self.maximumByteCount)
        }
        if let all, !all.add(count) { return .notRead(byteCount: SharedBacklog.maximumByteCount) }
        byteCount += count
        if byteCount > Self.pausingByteCount, !isPaused {
            isPaused = true
            pause?(true)
        }
        return nil
    }

    /// The client has them.
    mutating func remove(_ count: Int) {
        byteCount -= count
        all?.remove(count)
        if isPaused, byteCount < Self.pausingByteCount / 2 {
            isPaused = false
            pause?(false)
        }
    }
}

/// How much from the network waits for the clients of all requests of a session.
final class SharedBacklog: Sendable {
    /// Bytes, above which the request that brings more fails.
    static let maximumByteCount = 4 * Backlog.maximumByteCount

    private let waiting = Locked(0)

    /// Bytes that wait.
    var byteCount: Int { waiting.withLock { $0 } }

    fileprivate func add(_ count: Int) -> Bool {
        waiting.withLock { waiting in
            guard waiting <= Self.maximumByteCount - count else { return false }
            waiting += count
            return true
        }
    }

    fileprivate func remove(_ count: Int) { waiting.withLock { $0 -= count } }
}
