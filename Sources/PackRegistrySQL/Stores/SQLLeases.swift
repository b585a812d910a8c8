import Foundation
package import PackRegistry

/// The leases of a registry whose database several machines use: a row for each, and the database's clock.
///
/// Every acquisition, renewal and change is a transaction that is alone among all processes. So a change that found its lease
/// held is recorded before anybody else can acquire the lease.
package struct SQLLeases: LeaseStore {
    private let database: any RegistryDatabase
    private let clock: StoreClock

    package init(_ database: any RegistryDatabase, clock: StoreClock) {
        self.database = database
        self.clock = clock
    }

    package func acquire(_ name: Lease.Name, for duration: Duration, as holder: String) async throws -> Lease? {
        try await database.writing { [clock] db in
            let table = LeaseTable(db: db)
            let now = try clock.now(db)
            guard try table.held(name, now: now) == nil else { return nil }
            let lease = Lease(name, number: try table.newestNumber(name) + 1)
            try table.put(lease, holder: holder, until: now + duration / .seconds(1))
            return lease
        }
    }

    package func renew(_ lease: Lease, for duration: Duration) async throws {
        let isHeld = try await database.writing { [clock] db in
            try LeaseTable(db: db).extend(lease, until: clock.now(db) + duration / .seconds(1))
        }
        guard isHeld else { throw LostLease(lease.name) }
    }

    package func release(_ lease: Lease) async throws {
        try await database.writing { try LeaseTable(db: $0).end(lease) }
    }

    package func holder(of name: Lease.Name) async throws -> String? {
        try await database.reading { [clock] db in
            try LeaseTable(db: db).held(name, now: clock.now(db))?.holder
        }
    }

    /// ``holder(of:)`` on this thread.
    package func holderNow(of name: Lease.Name) throws -> String? {
        try database.read { db in try LeaseTable(db: db).held(name, now: clock.now(db))?.holder }
    }
}
