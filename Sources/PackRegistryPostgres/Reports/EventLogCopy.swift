import PackFormat
import PackRegistry
import PackRegistrySQL

/// Rows of the log that are added by `COPY`.
struct EventLogCopy {
    /// How many events were ever added, with those of these rows.
    private(set) var total: Int
    private var text: [UInt8] = []
    private var days: Set<Int> = []

    init(total: Int) {
        self.total = total
    }

    /// How many events were ever added.
    static func total(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT total FROM eventLog ORDER BY id DESC LIMIT 1") ?? 0
    }

    /// - Parameters:
    ///   - events: of one sender, in rising order of their sequences.
    ///   - ids: of the events' subjects.
    mutating func append(_ events: [ReportEvent], _ ids: [Int], sender: Int, received: Int) {
        for run in EventLog.runs(events) {
            var log = EventLog()
            for index in run { log.append(events[index], subject: Int64(ids[index])) }
            total = total.saturatingAdd(log.count)
            let numbers = [
                sender, events[run.lowerBound].sequence, events[run.upperBound - 1].sequence, received, total,
            ]
            // A backslash is written twice.
            text += (numbers.map(String.init) + ["\\\\x"]).joined(separator: "\t").utf8
            for byte in log.bytes { text += [Self.digit(byte >> 4), Self.digit(byte & 15)] }
            text.append(UInt8(ascii: "\n"))
            days.insert(received / 86_400)
        }
    }

    func write(_ connection: PostgresConnection, _ db: Database) throws {
        guard !text.isEmpty else { return }
        for day in days.sorted() { try Self.makePartition(day, db) }
        try connection.copy("COPY eventLog (sender, first, last, received, total, events) FROM STDIN", text)
    }

    private static func makePartition(_ day: Int, _ db: Database) throws {
        let isNew = try db.execute(
            sql: "INSERT INTO eventDay (day) VALUES (?) ON CONFLICT DO NOTHING", arguments: [day])
        guard isNew > 0 else { return }
        try db.execute(
            sql: """
                CREATE TABLE \(partition(day)) PARTITION OF eventLog
                FOR VALUES FROM (\(day * 86_400)) TO (\((day + 1) * 86_400))
                """)
    }

    static func partition(_ day: Int) -> String { "eventLog_\(day)" }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
