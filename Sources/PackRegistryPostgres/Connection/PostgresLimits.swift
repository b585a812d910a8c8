/// How long a database may take, and how much of it a process uses.
package struct PostgresLimits: Hashable, Sendable {
    /// The most connections of this process.
    package var connections = 8
    /// How long making a connection may take.
    package var connecting: Duration = .seconds(10)
    /// How long a statement may take: the server ends it.
    package var statement: Duration = .seconds(30)
    /// How long a writer waits for the others.
    package var lock: Duration = .seconds(25)
    /// How long a transaction may stand still: the server ends it, so that nobody keeps the others out.
    package var idle: Duration = .seconds(20)
    /// How long a transaction is tried again while others are in its way, or since the database went away, as in a failover.
    package var patience: Duration = .seconds(40)
    /// The same before the database has answered once, because most likely the address is wrong, and after it was away for longer.
    package var firstPatience: Duration = .seconds(2)

    package init() {}

    /// After this time without an answer this side gives a statement up, because the server is not heard.
    var silence: Duration { statement + .seconds(2) }
}
