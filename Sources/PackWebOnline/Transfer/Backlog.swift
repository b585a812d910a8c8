import PackWeb

/// How much data from the network waits for one client, and the consequence: the network waits, or the request ends.
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
        let isLittle = byteCount + count <= Self.pausingByteCount
        if let all, !all.add(count, isLittle: isLittle) { return .notRead(byteCount: SharedBacklog.maximumByteCount) }
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
