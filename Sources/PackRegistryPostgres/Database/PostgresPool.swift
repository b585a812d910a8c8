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
    /// Whether there was ever a connection.
    private let isKnown = Mutex(false)

    init(_ address: PostgresAddress, schema: String, limits: PostgresLimits) {
        self.address = address
        self.schema = schema
        self.limits = limits
        places = DispatchSemaphore(value: max(1, limits.connections))
    }

    /// Whether the database answered once, so that a connection that fails is worth trying again.
    var wasReached: Bool { isKnown.withLock { $0 } }

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
        isKnown.withLock { $0 = true }
        return connection
    }
}
