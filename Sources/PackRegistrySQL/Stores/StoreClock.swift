package import Foundation

/// The clock that decides when a lease runs out.
package enum StoreClock: Sendable {
    /// The database's own, where it has one that several machines share.
    case database
    case of(@Sendable () -> Date)

    func now(_ db: Database) throws -> Date {
        switch self {
        case .of(let clock): clock()
        case .database:
            try Row.fetchOne(db, sql: "SELECT clock_timestamp() AS time")?.date("time") ?? .distantFuture
        }
    }
}
