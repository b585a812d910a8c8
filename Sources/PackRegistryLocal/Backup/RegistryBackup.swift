package import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL
import PackSystem
import PackTrust

/// Writes backups of a registry whose rows and files are in one folder, while it is used.
///
///     try await RegistryBackup(of: local).run(to: folder, keeping: 7)
///
/// Objects are copied first, and those that an earlier backup has are not copied again. Then comes the database, as it is at one
/// moment, and last what it names and has only since. An interrupted backup leaves the earlier ones as they were.
package struct RegistryBackup: Sendable {
    package struct Outcome: Hashable, Sendable {
        package let backup: BackupRecord
        package fileprivate(set) var copiedCount = 0
        package fileprivate(set) var copiedByteCount = 0
        /// Older backups that were removed.
        package fileprivate(set) var removed: [BackupRecord] = []
    }

    /// Objects that become durable together.
    private static let filesAtOnce = 256
    /// How often the database is copied where files are pruned meanwhile.
    private static let tries = 5

    private let source: LocalRegistry

    package init(of source: LocalRegistry) {
        self.source = source
    }

    /// - Parameter count: how many backups stay, from 1; older ones are removed.
    /// - Parameter report: how many files are copied, and how many there are to copy.
    /// - Throws: ``RegistryError`` where the place is another registry's, a file of the registry is missing or damaged, or the disk is
    ///   full. No backup is made then.
    package func run(
        to folder: URL, keeping count: Int, report: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> Outcome {
        let database = try database()
        let place = BackupFolder(folder)
        try checkPlace(place)
        let source = source
        return try await BlockingWork.run {
            // It has the registry's key.
            try SystemCall.makeFolders(place.files.root, mode: 0o700)
            guard let lock = try FolderLock(ifFree: place.lock) else {
                throw RegistryError(.busy, "another backup is written to \(place.files.name): wait for its end")
            }
            let earlier = try place.backups()
            try Self.check(earlier, are: source, place)
            var copied = try Self.copy(
                try source.database.read { try ObjectTable(db: $0).all() }, source, place, report)
            let (backup, late) = try Self.copyRows(of: database, source, place)
            copied += late
            var outcome = Outcome(
                backup: backup, copiedCount: copied.count, copiedByteCount: copied.reduce(0) { $0 + $1.size })
            outcome.removed = try Self.removeOld(place, keeping: count)
            _ = consume lock
            return outcome
        }
    }

    // MARK: Where

    private func database() throws -> SQLiteDatabase {
        guard source.mirror == nil else {
            throw RegistryError(
                .conflict,
                "the files of this registry are in a bucket: back up the bucket and the database with their own tools, "
                    + "as docs/SCALING.md says")
        }
        guard let database = source.rows.local else {
            throw RegistryError(
                .conflict,
                "the rows of this registry are in \(source.database.name): back them up with pg_dump, and the folder as "
                    + "docs/SCALING.md says")
        }
        return database
    }

    private func checkPlace(_ place: BackupFolder) throws {
        guard !place.files.root.path().hasPrefix(source.files.root.path()) else {
            throw RegistryError(
                .conflict,
                "\(place.files.name) is inside of the registry, and would be lost with it: give a folder elsewhere, best on "
                    + "another disk")
        }
        guard !place.files.exists else {
            throw RegistryError(.conflict, "\(place.files.name) has a registry: give another folder for backups")
        }
    }

    private static func check(_ backups: [BackupRecord], are source: LocalRegistry, _ place: BackupFolder) throws {
        let root = try source.database.read { try MetadataTable(db: $0).firstRoot() }
        guard let other = backups.first(where: { $0.root != root }) else { return }
        throw RegistryError(
            .conflict,
            "\(place.files.name) has backups of another registry (of the app \(other.app)): give a folder of its own to each"
        )
    }

    // MARK: Files

    /// - Returns: the objects that were not there and that the registry has.
    private static func copy(
        _ objects: [Object], _ source: LocalRegistry, _ place: BackupFolder, _ report: (_ done: Int, _ all: Int) -> Void
    ) throws -> [Object] {
        let missing = objects.filter { !place.store.contains($0) }
        var copied: [Object] = []
        for start in stride(from: 0, to: missing.count, by: filesAtOnce) {
            report(start, missing.count)
            let workspace = try Workspace(in: place.files)
            let batch = try missing[start..<min(start + filesAtOnce, missing.count)].filter { object in
                switch try ObjectCopy.copy(object, from: source.store, to: workspace.file(object.digest.hex)) {
                case .copied: return true
                case .missing: return false
                case .damaged: throw faulty(object, "damaged")
                }
            }
            try place.store.take(batch, from: workspace)
            copied += batch
        }
        return copied
    }

    /// Copies database and key, and the objects that came meanwhile.
    private static func copyRows(
        of database: SQLiteDatabase, _ source: LocalRegistry, _ place: BackupFolder
    ) throws -> (BackupRecord, [Object]) {
        var late: [Object] = []
        for _ in 1...tries {
            let workspace = try Workspace(in: place.files)
            let rows = RegistryFolder(workspace.folder.appending(path: "rows", directoryHint: .isDirectory))
            try SystemCall.makeFolder(rows.root)
            let keys = try OnlineKeys.load(from: source.files)
            try database.copy(to: rows.database)
            guard try OnlineKeys.load(from: source.files).keys.map(\.pem) == keys.keys.map(\.pem) else { continue }
            let objects = try BackupFolder.objects(of: rows)
            late += try copy(objects, source, place) { _, _ in }
            let missing = objects.filter { !place.store.contains($0) }
            guard missing.isEmpty else {
                let wanted = try source.database.read { db in
                    try missing.first { try ObjectTable(db: db).contains($0.digest) }
                }
                // What was pruned meanwhile is in no later copy of the database.
                guard let wanted else { continue }
                throw faulty(wanted, "missing")
            }
            try keys.save(to: rows)
            try FileManager.default.removeItem(at: rows.uploads)
            let backup = try record(of: rows, objects, at: source.now, in: place)
            let destination = place.folder(of: backup).root
            try SystemCall.replace(
                rows.root.appending(path: BackupRecord.file, directoryHint: .notDirectory), with: backup.bytes)
            try SystemCall.rename(rows.root, to: destination)
            try SystemCall.synchronize(place.files.root)
            return (backup, late)
        }
        throw RegistryError(
            .busy, "the registry's key or files were changed each time that they were copied: try again")
    }

    private static func faulty(_ object: Object, _ fault: String) -> RegistryError {
        RegistryError(
            .unusable,
            "\(ViewPath.object(object.digest)) of the registry is \(fault): run packtool registry check --repair, and back up again"
        )
    }

    private static func record(
        of rows: RegistryFolder, _ objects: [Object], at now: Date, in place: BackupFolder
    ) throws -> BackupRecord {
        let (app, root, versionCount) = try SQLiteDatabase.readCopy(rows.database) { db in
            (
                try SettingTable(db: db).app() ?? "", try MetadataTable(db: db).firstRoot(),
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM version") ?? 0
            )
        }
        let next = try place.next(at: now)
        return BackupRecord(
            name: next.name, app: app, root: root, time: next.time,
            database: Digest(of: try Data(contentsOf: rows.database, options: .alwaysMapped)),
            versionCount: versionCount,
            objects: objects)
    }

    // MARK: Old backups

    /// - Returns: those that were removed.
    private static func removeOld(_ place: BackupFolder, keeping count: Int) throws -> [BackupRecord] {
        let backups = try place.backups()
        let old = Array(backups.dropLast(count))
        for backup in old {
            let folder = place.folder(of: backup).root
            // Without its record it is none, whatever comes in between.
            try FileManager.default.removeItem(at: folder.appending(path: BackupRecord.file))
            try FileManager.default.removeItem(at: folder)
        }
        var needed: Set<Digest> = []
        for backup in backups.suffix(count) { needed.formUnion(try place.objects(of: backup).map(\.digest)) }
        let folder = place.files.objects
        guard let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return old
        }
        for case let file as URL in names {
            guard let digest = try? Digest(hex: file.lastPathComponent), !needed.contains(digest) else { continue }
            try FileManager.default.removeItem(at: file)
        }
        return old
    }
}
