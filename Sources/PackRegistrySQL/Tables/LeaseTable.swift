package import Foundation
package import PackRegistry
import PackRegistryAPI

/// The leases, inside one transaction.
package struct LeaseTable {
    package struct Held: Hashable, Sendable {
        package let number: Int
        package let holder: String
    }

    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// The newest number of a name; 0 where it was never acquired.
    package func newestNumber(_ name: Lease.Name) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT number FROM lease WHERE name = ?", arguments: [name.rawValue]) ?? 0
    }

    /// The lease that has not run out; nil where there is none.
    package func held(_ name: Lease.Name, now: Date) throws -> Held? {
        try Row.fetchOne(
            db, sql: "SELECT number, holder, expires FROM lease WHERE name = ? AND expires IS NOT NULL",
            arguments: [name.rawValue]
        ).flatMap { row in
            try row.date("expires") > now ? Held(number: row.integer("number"), holder: row.text("holder")) : nil
        }
    }

    package func put(_ lease: Lease, holder: String, until expires: Date) throws {
        try db.execute(
            sql: """
                INSERT INTO lease (name, number, holder, expires) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE
                SET number = excluded.number, holder = excluded.holder, expires = excluded.expires
                """,
            arguments: [lease.name.rawValue, lease.number, holder, expires])
    }

    /// - Returns: false where the lease was acquired by somebody else, or released.
    package func extend(_ lease: Lease, until expires: Date) throws -> Bool {
        try db.execute(
            sql: "UPDATE lease SET expires = ? WHERE name = ? AND number = ? AND expires IS NOT NULL",
            arguments: [expires, lease.name.rawValue, lease.number]) > 0
    }

    package func end(_ lease: Lease) throws {
        try db.execute(
            sql: "UPDATE lease SET expires = NULL WHERE name = ? AND number = ?",
            arguments: [lease.name.rawValue, lease.number])
    }
}
