import Dispatch
import PackRegistryAPI
import Synchronization

/// The connections of this process to one database: made as they are needed, and no more than a number.
final class PostgresPool: Sendable {
    private let address: PostgresAddress
    private let schema: String
    private let limits: PostgresLimits
    private let idle = Mutex<[PostgresConnection]>([])
    private let places: DispatchSemaphore
    private let reach = Mutex(Reach())

    private struct Reach {
        /// Whether there was ever a connection.
        var wasReached = false
        /// Since when no transaction reaches the database.
        var awaySince: ContinuousClock.Instant?
    }

    init(_ address: PostgresAddress, schema: String, limits: PostgresLimits) {
        self.address = address
        self.schema = schema
        self.limits = limits
        places = DispatchSemaphore(value: max(1, limits.connections))
    }

    /// Whether the database answered once, so that a connection that fails is worth trying again.
    var wasReached: Bool { reach.withLock { $0.wasReached } }

    /// Notes that a transaction reached the database.
    func noteReached() { reach.withLock { $0.awaySince = nil } }

    /// Notes that a transaction begun at a time did not reach the database.
    /// - Returns: until when it is worth trying again. All transactions wait for one outage together: once it has lasted
    ///   longer than ``PostgresLimits/patience``, another one waits ``PostgresLimits/firstPatience`` only.
    func noteAway(begun: ContinuousClock.Instant) -> ContinuousClock.Instant {
        reach.withLock { reach in
            let soon = begun + limits.firstPatience
            guard reach.wasReached else { return soon }
            let since = reach.awaySince ?? begun
            reach.awaySince = since
            return max(soon, since + limits.patience)
        }
    }

    /// Gives a connection, and keeps it for the next user if it is still of use.
    func withConnection<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        guard places.wait(timeout: .now() + .seconds(30)) == .success else {
            throw RegistryError(.busy, "all connections to \(address) are in use for a long time: try again")
        }
        defer { places.signal() }
        let connection = try idle.withLock { $0.popLast() } ?? made()
        defer { if connection.isIdle { idle.withLock { $0.append(connection) } } }
        return try body(connection)
    }

    /// Closes what nobody uses: where one connection broke, the others most likely did too.
    func closeIdle() {
        let connections = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        _ = connections
    }

    /// A connection beyond the number, for somebody who has one that broke.
    func made() throws -> PostgresConnection {
        let connection = try PostgresConnection(address, schema: schema, limits: limits)
        reach.withLock { $0.wasReached = true }
        return connection
    }
}
