import PackRegistryAPI
import PackRegistrySQL
import Synchronization

/// A session with the database, set up for this program. Its pool gives it to one user at a time.
final class PostgresConnection: Sendable {
    private static let oldestVersion = 150_000

    private let handle: Mutex<PostgresHandle>
    private let silence: Duration

    init(_ address: PostgresAddress, schema: String, limits: PostgresLimits) throws {
        let end = ContinuousClock.now + limits.connecting
        var handle = try PostgresHandle(address, until: end)
        guard handle.serverVersion >= Self.oldestVersion else {
            throw RegistryError(
                .unusable,
                "\(address) is PostgreSQL \(handle.serverVersion / 10_000): packtool needs 15 or later")
        }
        // A writer that stands still, or whose machine is gone, must not keep the others out.
        try handle.command(
            """
            SET search_path TO "\(schema)";
            SET client_min_messages TO warning;
            SET statement_timeout TO \(limits.statement.milliseconds);
            SET lock_timeout TO \(limits.lock.milliseconds);
            SET idle_in_transaction_session_timeout TO \(limits.idle.milliseconds);
            SET tcp_keepalives_idle TO 10; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3;
            SET tcp_user_timeout TO '30s'
            """, until: end)
        silence = limits.silence
        self.handle = Mutex(handle)
    }

    /// Whether another transaction may begin on it.
    var isIdle: Bool { handle.withLock { $0.isIdle } }

    func command(_ sql: String, for time: Duration? = nil) throws {
        try handle.withLock { handle in
            try handle.command(sql, until: .now + (time ?? silence))
            return
        }
    }

    /// Begins a transaction with its next statement (``PostgresHandle/begin(_:)``).
    func begin(_ statements: String...) { handle.withLock { $0.begin(statements) } }

    /// Ends a transaction that has only read.
    func endReading() throws { try handle.withLock { try $0.endReading(until: .now + silence) } }

    /// Adds rows to a table, as one statement.
    /// - Parameter sql: `COPY … FROM STDIN`.
    /// - Parameter bytes: the rows in the text format (PostgreSQL's documentation, "COPY", "Text Format").
    func copy(_ sql: String, _ bytes: [UInt8]) throws {
        try handle.withLock { handle in
            try handle.copy(sql, bytes, until: .now + silence)
        }
    }

    /// Prepares every statement anew at its next use.
    func forgetStatements() {
        handle.withLock { $0.forgetStatements() }
    }

    /// Ends the transaction, if there is one and the connection lives.
    func rollBack() {
        try? handle.withLock { try $0.rollBack(until: .now + .seconds(5)) }
    }
}

extension PostgresConnection: SQLConnection {
    func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLResult {
        try handle.withLock { try $0.run(sql, arguments, until: .now + silence) }
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}
