import PackRegistryAPI
import PackRegistrySQL
import Synchronization

/// The database of reports: its schema, which the first report makes, and transactions.
final class PostgresReports: Sendable {
    /// Any number that no other program uses for a lock of its own. Writers take turns, so that none meets what another one is adding.
    private static let lock = 7_236_419_008_252

    private let schema: String
    private let sessions: PostgresSessions
    private let readers: DatabaseThreads
    private let writers: DatabaseThreads
    private let isOpen = Mutex(false)

    init(_ address: PostgresAddress, schema: String, limits: PostgresLimits) {
        self.schema = schema
        var limits = limits
        limits.connections = min(limits.connections, 4)
        sessions = PostgresSessions(address, schema: schema, limits: limits)
        readers = DatabaseThreads("packtool.report-reads", count: max(1, limits.connections - 2))
        // One adds without an end while devices report; another removes what is old.
        writers = DatabaseThreads("packtool.report-writes", count: 2)
    }

    /// One consistent read.
    /// - Returns: nil where nothing was ever reported.
    func reading<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value? {
        try await readers.run { [self] in
            guard try open(isMade: false) else { return nil }
            return try sessions.read(body)
        }
    }

    /// One transaction, alone among all processes that write reports.
    /// - Returns: nil where nothing was ever reported.
    func writing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value? {
        try await writers.run { [self] in
            guard try open(isMade: false) else { return nil }
            return try write { try body(Database($0, .postgres)) }
        }
    }

    /// Does something on a thread of the writers.
    func onWriter(_ body: @escaping @Sendable () -> Void) {
        Task { try? await writers.run(body) }
    }

    /// One transaction of new reports, on this thread. Where the end of the transaction is not heard it is done again, which finds the same events.
    func add<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        _ = try open(isMade: true)
        return try write(body)
    }

    private func write<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        try sessions.repeated { connection in
            // READ COMMITTED: each statement sees what was there when the turn came.
            connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED", "SELECT pg_advisory_xact_lock(\(Self.lock))")
            let value = try body(connection)
            try connection.command("COMMIT")
            return value
        }
    }

    /// - Returns: false where there is no schema and none is made.
    private func open(isMade: Bool) throws -> Bool {
        if isOpen.withLock({ $0 }) { return true }
        do {
            _ = try sessions.repeated { connection in
                try PostgresSchema.reports.migrate(
                    connection, schema: schema, name: sessions.name, isMade: isMade)
            }
        } catch let error as RegistryError where error.kind == .notFound {
            return false
        }
        isOpen.withLock { $0 = true }
        return true
    }
}
