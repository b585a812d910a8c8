import Foundation
import GRDB
import PackRegistryAPI
import PackSystem

/// `reports.sqlite`, beside `registry.sqlite`. What is acknowledged survives a power cut.
struct ReportDatabase: Sendable {
    let pool: DatabasePool
    let name: String

    init(_ folder: RegistryFolder) throws {
        let name = folder.reports.path(percentEncoded: false)
        self.name = name
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.label = "reports"
        configuration.prepareDatabase { db in
            // GRDB's NORMAL in WAL mode loses acknowledged commits at a power cut.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            db.keepLogFiles()
        }
        let lock = try FolderLock(folder.reportsLock)
        pool = try SQLiteDatabase.translating(name) {
            let pool = try DatabasePool(path: name, configuration: configuration)
            guard try !pool.read({ db in try ReportSchema.migrator.hasBeenSuperseded(db) }) else {
                throw RegistryError(
                    .unusable, "\(name) was written by a newer packtool: update packtool, or move the file away")
            }
            try ReportSchema.migrator.migrate(pool)
            return pool
        }
        _ = consume lock
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try SQLiteDatabase.translating(name) { try pool.read(body) }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try SQLiteDatabase.translating(name) { try pool.write(body) }
    }
}
