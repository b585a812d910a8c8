import PackFormat

/// The statements that a connection has prepared, by their text. One is prepared at its second use: a command uses most
/// of them once.
struct PreparedStatements {
    private let maximumCount: Int
    private var names: [String: (name: String, lastUse: Int)] = [:]
    /// Statements that ran once, and were not prepared for it.
    private var seen: RecentCache<String, Bool>
    private var useCount = 0
    /// The number of the statement that was prepared last.
    private var number = 0

    /// - Parameter maximumCount: of prepared statements; from 1.
    init(maximumCount: Int) {
        self.maximumCount = maximumCount
        seen = RecentCache(maximumCount: 4 * maximumCount)
    }

    /// Notes that a statement is used.
    /// - Returns: its name if it is prepared, and whether it should be prepared now.
    mutating func use(_ sql: String) -> (name: String?, shouldPrepare: Bool) {
        useCount += 1
        if let name = names[sql]?.name {
            names[sql]?.lastUse = useCount
            return (name, false)
        }
        if seen.value(for: sql) != nil { return (nil, true) }
        seen.insert(true, for: sql)
        return (nil, false)
    }

    /// A name that no statement of this connection had.
    mutating func newName() -> String {
        number += 1
        return "s\(number)"
    }

    /// Keeps the name of a statement that was just prepared.
    mutating func insert(_ name: String, for sql: String) { names[sql] = (name, useCount) }

    /// Makes room for one more.
    /// - Returns: the name of the statement that was not used for longest, which the server has to forget; nil while
    ///   there is room.
    mutating func removeOldest() -> String? {
        guard names.count >= maximumCount, let oldest = names.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return nil
        }
        names[oldest.key] = nil
        return oldest.value.name
    }

    /// Each is prepared anew at its second use from now on, under another name.
    mutating func removeAll() {
        names = [:]
        seen.removeAll()
    }
}
