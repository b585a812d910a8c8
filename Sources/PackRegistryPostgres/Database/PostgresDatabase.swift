import Foundation
import PackRegistryAPI
package import PackRegistrySQL
import Synchronization

/// A registry's rows in PostgreSQL, which several servers share.
///
///     let database = try await PostgresDatabase.open(PostgresAddress("postgres://db.example.com/packtool"))
///     let rows = RegistryRows(shared: database)
///
/// Reads are one snapshot (`REPEATABLE READ`). A write is alone among all processes: it holds a lock on the table `writer` before
/// its snapshot is taken, and is `SERIALIZABLE` besides, for whoever writes without the lock (docs/decisions/0032).
package final class PostgresDatabase: RegistryDatabase {
    package static let schema = "packtool"

    private let sessions: PostgresSessions
    private let readers: DatabaseThreads
    private let writers: DatabaseThreads
    private let migrated = Mutex(false)
    package var name: String { sessions.name }
    package var isMigrated: Bool { migrated.withLock { $0 } }

    private init(_ address: PostgresAddress, schema: String, limits: PostgresLimits) {
        sessions = PostgresSessions(address, schema: schema, limits: limits)
        readers = DatabaseThreads("packtool.database-reads", count: max(1, limits.connections - 1))
        // Writes of one process wait for each other in any case.
        writers = DatabaseThreads("packtool.database-writes", count: 1)
    }

    /// Connects, and makes or migrates the schema.
    /// - Parameter isMade: whether the schema is made where there is none.
    /// - Throws: ``RegistryError``; of the kind `.notFound` where there is none and none is made.
    package static func open(
        _ address: PostgresAddress, schema: String = schema, limits: PostgresLimits = PostgresLimits(),
        isMade: Bool = true
    ) async throws -> PostgresDatabase {
        let database = PostgresDatabase(address, schema: schema, limits: limits)
        try await database.writers.run { try database.migrate(schema, isMade: isMade) }
        return database
    }

    /// ``open(_:schema:limits:isMade:)`` on this thread, for a schema that is there.
    package static func openNow(_ address: PostgresAddress, limits: PostgresLimits = PostgresLimits()) throws
        -> PostgresDatabase
    {
        let database = PostgresDatabase(address, schema: schema, limits: limits)
        try database.migrate(schema, isMade: false)
        return database
    }

    package func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value { try await readers.run { [self] in try read(body) } }

    package func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value { try await writers.run { [self] in try write(body) } }

    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try sessions.read(body)
    }

    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try sessions.repeated { connection in
            Self.begin(connection)
            let value = try body(Database(connection, .postgres))
            let mark = try WriteMark.put(connection)
            do {
                try connection.command("COMMIT")
            } catch let fault as PostgresFault where fault.isLostConnection {
                // The answer is lost, and perhaps the transaction is not.
                guard try isRecorded(mark) else { throw fault }
            }
            return value
        }
    }

    private static func begin(_ connection: PostgresConnection) {
        connection.begin("BEGIN ISOLATION LEVEL SERIALIZABLE", "LOCK TABLE writer IN EXCLUSIVE MODE")
    }

    /// Whether a transaction was recorded whose end nobody heard. The lock makes sure that it is over.
    private func isRecorded(_ mark: WriteMark) throws -> Bool {
        do {
            return try sessions.repeated(waiting: false) { connection in
                Self.begin(connection)
                let isThere = try mark.isThere(connection)
                try connection.command("COMMIT")
                return isThere
            }
        } catch {
            throw RegistryError(
                .unreachable,
                "the connection to \(name) broke while a change was recorded, and the database is away (\(error)): whether "
                    + "the change is there is not known. Look with packtool status before you repeat it")
        }
    }

    private func migrate(_ schema: String, isMade: Bool) throws {
        let isMigrated = try sessions.repeated { connection in
            try PostgresSchema.registry.migrate(connection, schema: schema, name: name, isMade: isMade)
        }
        migrated.withLock { $0 = isMigrated }
    }
}
