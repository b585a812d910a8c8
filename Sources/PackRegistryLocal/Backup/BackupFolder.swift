import Foundation
import PackFormat
import PackRegistrySQL
import PackSystem

/// A folder with backups of one registry.
///
///     view/objects/ab/HASH            the files of all backups
///     2026-11-27T01-30-00Z/           one backup: the database, the registry's key, and what it is
///         registry.sqlite
///         keys/online.json
///         backup.json
///
/// A backup is complete from the moment its folder has its name.
struct BackupFolder: Sendable {
    /// With the layout of a registry's folder, so that what puts objects into one does it here.
    let files: RegistryFolder

    init(_ root: URL) {
        files = RegistryFolder(root)
    }

    var store: ObjectStore { ObjectStore(folder: files) }
    /// Held while a backup is made or old ones are removed.
    var lock: URL { files.root.appending(path: "backup.lock", directoryHint: .notDirectory) }

    /// The database and the key of one backup.
    func folder(of backup: BackupRecord) -> RegistryFolder {
        RegistryFolder(files.root.appending(path: backup.name, directoryHint: .isDirectory))
    }

    /// When the next backup is made, and its name. No backup is before an earlier one, also after a clock was set back. Of several in
    /// one second the later ones are numbered from 2, and no number is used again.
    func next(at now: Date) throws -> (time: Date, name: String) {
        let newest = try backups().last
        let time = max(now, newest?.time ?? now)
        let usual = BackupRecord.name(of: time)
        let numbers = try FileManager.default.contentsOfDirectory(atPath: files.name).compactMap { name -> Int? in
            guard name.hasPrefix(usual) else { return nil }
            return name == usual ? 1 : Int(name.dropFirst(usual.count + 1))
        }
        guard let highest = numbers.max() else { return (time, usual) }
        return (time, "\(usual)-\(highest + 1)")
    }

    /// The complete backups, oldest first.
    /// - Throws: ``RegistryError`` of the kind `.unusable` for one that cannot be read.
    func backups() throws -> [BackupRecord] {
        let found =
            (try? FileManager.default.contentsOfDirectory(at: files.root, includingPropertiesForKeys: nil)) ?? []
        return try found.compactMap { try BackupRecord(in: $0) }.sorted {
            ($0.time, $0.name.count, $0.name) < ($1.time, $1.name.count, $1.name)
        }
    }

    /// The objects that a backup needs.
    func objects(of backup: BackupRecord) throws -> [Object] { try Self.objects(of: folder(of: backup)) }

    static func objects(of folder: RegistryFolder) throws -> [Object] {
        try SQLiteDatabase.readCopy(folder.database) { try ObjectTable(db: $0).all() }
    }
}
