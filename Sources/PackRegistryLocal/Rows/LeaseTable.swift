import Foundation
import GRDB
import PackRegistry
import PackRegistryAPI

/// The leases, inside one transaction.
struct LeaseTable {
    struct Held: Hashable, Sendable {
        let number: Int
        let holder: String
    }

    let db: Database

    /// The newest number of a name; 0 where it was never acquired.
    func newestNumber(_ name: Lease.Name) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT number FROM lease WHERE name = ?", arguments: [name.rawValue]) ?? 0
    }

    /// The lease that has not run out; nil where there is none.
    func held(_ name: Lease.Name, now: Date) throws -> Held? {
        try Row.fetchOne(
            db, sql: "SELECT number, holder, expires FROM lease WHERE name = ? AND expires IS NOT NULL",
            arguments: [name.rawValue]
        ).flatMap { row in
            try row.date("expires") > now ? Held(number: row.integer("number"), holder: row.text("holder")) : nil
        }
    }

    func put(_ lease: Lease, holder: String, until expires: Date) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO lease (name, number, holder, expires) VALUES (?, ?, ?, ?)",
            arguments: [lease.name.rawValue, lease.number, holder, expires])
    }

    /// - Returns: false where the lease was acquired by somebody else, or released.
    func extend(_ lease: Lease, until expires: Date) throws -> Bool {
        try db.execute(
            sql: "UPDATE lease SET expires = ? WHERE name = ? AND number = ? AND expires IS NOT NULL",
            arguments: [expires, lease.name.rawValue, lease.number])
        return db.changesCount > 0
    }

    func end(_ lease: Lease) throws {
        try db.execute(
            sql: "UPDATE lease SET expires = NULL WHERE name = ? AND number = ?",
            arguments: [lease.name.rawValue, lease.number])
    }
}
