import Foundation
import GRDB
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The registry's SQLite database. It is opened so that an acknowledged commit survives a power cut, and never by a
/// program older than the one that wrote it.
struct SQLiteDatabase: RegistryDatabase {
    private let pool: DatabasePool
    let name: String
    let isMigrated: Bool

    init(_ folder: RegistryFolder) throws {
        name = folder.database.path(percentEncoded: false)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        // Another process's commit is waited for; its work on files is not done inside a transaction.
        configuration.busyMode = .timeout(60)
        configuration.label = "registry"
        configuration.prepareDatabase { db in
            // GRDB's NORMAL in WAL mode loses acknowledged commits at a power cut.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            db.keepLogFiles()
        }
        // SQLite answers a second process "busy" at once while the first turns the file's log on, and the migrator
        // looks for what is done before its transactions begin.
        let lock = try FolderLock(folder.openLock)
        Self.keepPrivate(folder.database)
        (pool, isMigrated) = try Self.translating(name) { [name] in
            let pool = try DatabasePool(path: name, configuration: configuration)
            let isNewer = try pool.read { db in try RegistrySchema.migrator.hasBeenSuperseded(db) }
            guard !isNewer else {
                throw RegistryError(
                    .unusable, "\(name) was written by a newer packtool: update packtool, or use the registry over HTTP"
                )
            }
            return (pool, try Self.migrate(pool, in: folder))
        }
        _ = consume lock
    }

    /// It has secrets, such as those of webhooks, which other users of the machine must not read. SQLite gives its log the same mode.
    private static func keepPrivate(_ file: URL) {
        if let new = try? SystemCall.open(file, O_CREAT | O_EXCL | O_RDWR, mode: 0o600) {
            close(new)
            return
        }
        // One of a program that let everybody read it. A group that somebody gave it to keeps it.
        let path = file.path(percentEncoded: false)
        let mode = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int ?? 0
        if mode & 0o007 != 0 {
            try? FileManager.default.setAttributes([.posixPermissions: mode & ~0o007], ofItemAtPath: path)
        }
    }

    /// Brings the database to this program's form, unless a server of 0.1 works on it: its next change would fail.
    /// - Returns: whether it had an earlier form.
    private static func migrate(_ pool: DatabasePool, in folder: RegistryFolder) throws -> Bool {
        let migrator = RegistrySchema.migrator
        let isEarlier = try pool.read { db in
            try !migrator.appliedIdentifiers(db).isEmpty && !migrator.hasCompletedMigrations(db)
        }
        let path = folder.earlierServerLock.path(percentEncoded: false)
        guard isEarlier, FileManager.default.fileExists(atPath: path) else {
            try migrator.migrate(pool)
            return isEarlier
        }
        guard let lock = try FolderLock(ifFree: folder.earlierServerLock) else {
            throw RegistryError(
                .conflict,
                "a packtool serve of an earlier version has the registry in \(folder.name): stop it, copy the folder (cp -a) if you may "
                    + "want to go back, and repeat this command, which brings the registry to the form of this version")
        }
        try migrator.migrate(pool)
        _ = consume lock
        return true
    }

    func read<Value>(_ body: (PackRegistrySQL.Database) throws -> Value) throws -> Value {
        try Self.translating(name) {
            try pool.read { try body(PackRegistrySQL.Database(SQLiteConnection($0), .sqlite)) }
        }
    }

    func write<Value>(_ body: (PackRegistrySQL.Database) throws -> Value) throws -> Value {
        try Self.translating(name) {
            try pool.write { try body(PackRegistrySQL.Database(SQLiteConnection($0), .sqlite)) }
        }
    }

    /// Writes the database as it is at one moment to a file that is not there yet; others go on reading and writing. The file is on
    /// the disk at return.
    func copy(to file: URL) throws {
        let path = file.path(percentEncoded: false)
        try Self.translating(name) {
            do {
                // Outside a transaction, because VACUUM makes its own.
                try pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_WRITE
            {
                throw RegistryError(.full, "\(path) cannot be written: no space left. Free some and try again")
            }
        }
        try SystemCall.synchronize(file)
    }

    /// Reads a file that ``copy(to:)`` wrote. Nothing is written, neither in it nor beside it.
    /// - Throws: ``RegistryError`` of the kind `.unusable` for one that is damaged or of a newer packtool.
    static func readCopy<Value>(_ file: URL, _ body: (PackRegistrySQL.Database) throws -> Value) throws -> Value {
        let path = file.path(percentEncoded: false)
        return try translating(path) {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try queue.read { db in
                guard try !RegistrySchema.migrator.hasBeenSuperseded(db) else {
                    throw RegistryError(.unusable, "\(path) was written by a newer packtool: update packtool")
                }
                return try body(PackRegistrySQL.Database(SQLiteConnection(db), .sqlite))
            }
        }
    }

    /// Turns SQLite's errors into ones that say what to do.
    static func translating<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            let detail = error.message ?? "SQLite error \(error.resultCode.rawValue)"
            switch error.resultCode {
            case .SQLITE_FULL:
                throw RegistryError(.full, "\(name) cannot be written: no space left. Free some and try again")
            case .SQLITE_IOERR
            where [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE].contains(error.extendedResultCode):
                throw RegistryError(.full, "\(name) cannot be written: \(detail). Is the disk full?")
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                throw RegistryError(.busy, "\(name) has been in use by another process for too long: try again")
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                throw RegistryError(.unusable, "\(name) is damaged: \(detail). Restore it from a backup")
            case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
                throw RegistryError(.unusable, "\(name) cannot be opened: \(detail). Check who owns the folder")
            default:
                throw RegistryError(.unusable, "\(name): \(error)")
            }
        }
    }
}
