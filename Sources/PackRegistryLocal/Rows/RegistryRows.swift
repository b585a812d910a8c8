import Foundation
package import PackRegistry
package import PackRegistrySQL

/// Where a registry's rows are, when its files are in a folder: beside them in SQLite, or in a database that several servers
/// share.
package struct RegistryRows: Sendable {
    let database: any RegistryDatabase
    let leases: any LeaseStore
    let clock: StoreClock
    /// What devices reported, where it is in the database too; nil: it is in the folder.
    let reports: (any ReportStore)?
    /// The database in the folder; nil: it is elsewhere.
    let local: SQLiteDatabase?

    /// Whether several servers may have the registry at once.
    var isShared: Bool { local == nil }

    /// Rows in a database apart from the folder.
    package init(
        shared database: any RegistryDatabase, reports: (any ReportStore)? = nil, clock: StoreClock = .database
    ) {
        self.database = database
        self.reports = reports
        self.clock = clock
        leases = SQLLeases(database, clock: clock)
        local = nil
    }

    /// Rows in the folder itself.
    init(_ files: RegistryFolder, clock: @escaping @Sendable () -> Date) throws {
        let database = try SQLiteDatabase(files)
        self.database = database
        local = database
        reports = nil
        self.clock = .of(clock)
        leases = SQLiteLeases(files, database, clock: clock)
    }
}
