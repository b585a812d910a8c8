import Foundation
import PackRegistrySQL

/// The connections of this process to one schema of a database, and how a transaction is done on one of them.
final class PostgresSessions: Sendable {
    private let address: PostgresAddress
    private let limits: PostgresLimits
    private let pool: PostgresPool
    /// As messages name the database, without secrets.
    var name: String { address.description }

    init(_ address: PostgresAddress, schema: String, limits: PostgresLimits) {
        self.address = address
        self.limits = limits
        pool = PostgresPool(address, schema: schema, limits: limits)
    }

    /// Does a transaction on a connection until it succeeds, is refused, or has waited long enough.
    /// - Parameter isFirst: false inside another transaction of this process, which has a place in the pool already.
    func repeated<Value>(
        waiting isFirst: Bool = true, _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        let begun = ContinuousClock.now
        var attempt = 0
        while true {
            do {
                let value =
                    try isFirst
                    ? pool.withConnection { try Self.transaction($0, body) }
                    : Self.transaction(pool.made(), body)
                pool.noteReached()
                return value
            } catch let fault as PostgresFault {
                attempt += 1
                if fault.isLostConnection { pool.closeIdle() }
                // A server that let this user in before is most likely a standby now.
                let isAway = fault.isLostConnection || fault.kind == .refused && pool.wasReached
                let end = isAway ? pool.noteAway(begun: begun) : begun + limits.patience
                guard fault.isConflict || isAway, .now < end else { throw fault.error(name) }
                // No two wait equally long.
                let longest = fault.isConflict ? min(0.01 * Double(attempt), 0.2) : min(0.1 * Double(attempt), 1)
                Thread.sleep(forTimeInterval: .random(in: longest / 4...longest))
            }
        }
    }

    /// One consistent read.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try repeated { connection in
            connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let value = try body(Database(connection, .postgres))
            try connection.endReading()
            return value
        }
    }

    private static func transaction<Value>(
        _ connection: PostgresConnection, _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        do {
            return try body(connection)
        } catch {
            connection.rollBack()
            if let fault = error as? PostgresFault, fault.isStalePlan { connection.forgetStatements() }
            throw error
        }
    }
}
