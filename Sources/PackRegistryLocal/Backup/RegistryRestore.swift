package import Foundation
package import PackFormat
import PackRegistry
import PackRegistryAPI
import PackSystem

/// Brings a registry back from a backup, into a folder without a registry.
///
///     let restore = try RegistryRestore(from: folder, named: nil)
///     try await restore.run(to: registry, isPartial: false)
///
/// The database comes last, so an interrupted call is simply repeated.
package struct RegistryRestore: Sendable {
    package struct Outcome: Hashable, Sendable {
        package fileprivate(set) var copiedCount = 0
        package fileprivate(set) var keptCount = 0
        /// Files that the backup does not have soundly.
        package fileprivate(set) var lost: [ViewPath] = []
    }

    private static let filesAtOnce = 256

    private let place: BackupFolder
    package let backup: BackupRecord

    /// - Parameter name: of the backup; nil: the newest.
    /// - Throws: ``RegistryError`` where there is no such backup, or its database is damaged.
    package init(from folder: URL, named name: String?) throws {
        place = BackupFolder(folder)
        let backups = try place.backups()
        guard !backups.isEmpty else {
            throw RegistryError(
                .notFound,
                "there is no backup in \(place.files.name): give the folder that packtool registry backup wrote")
        }
        guard let backup = name == nil ? backups.last : backups.first(where: { $0.name == name }) else {
            throw RegistryError(
                .notFound, "there is no backup \(name ?? ""): there are \(backups.map(\.name).joined(separator: ", "))")
        }
        self.backup = backup
        let file = place.folder(of: backup).database
        guard let data = try? Data(contentsOf: file, options: .alwaysMapped), Digest(of: data) == backup.database else {
            throw RegistryError(
                .unusable,
                "\(file.path(percentEncoded: false)) is missing or damaged: give another backup with --at"
                    + " (\(backups.map(\.name).joined(separator: ", ")))")
        }
    }

    /// Reads the whole backup. Nothing is written.
    /// - Returns: the files that it does not have soundly.
    package func check() async throws -> [ViewPath] {
        let objects = try place.objects(of: backup)
        return try await ConcurrentTasks.map(objects, atMost: 8) { [place] object in
            try await FolderFiles(folder: place.files).fault(of: object.digest).map { _ in
                ViewPath.object(object.digest)
            }
        }.compactMap(\.self)
    }

    /// - Parameter isPartial: whether the registry comes back without the files that the backup does not have.
    /// - Parameter report: how many files are done, and how many there are.
    /// - Throws: ``RegistryError`` where the folder has a registry, or files are lost; there is no registry then.
    package func run(
        to folder: URL, isPartial: Bool, clock: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> Outcome {
        let files = RegistryFolder(folder)
        try checkPlace(files)
        let outcome = try await BlockingWork.run { [self] in
            try SystemCall.makeFolders(files.root)
            var outcome = Outcome()
            try copyObjects(to: files, &outcome, report)
            guard isPartial || outcome.lost.isEmpty else {
                throw RegistryError(
                    .unusable,
                    "\(CountText.text(outcome.lost.count, "file of the backup is", plural: "files of the backup are")) missing or damaged "
                        + "(\(outcome.lost[0])): give another backup "
                        + "with --at, or restore without them with --partial and publish their versions again")
            }
            try OnlineKeys.load(from: place.folder(of: backup)).save(to: files)
            try putRows(to: files)
            return outcome
        }
        _ = try await LocalRegistry.open(folder, clock: clock)
        return outcome
    }

    private func checkPlace(_ files: RegistryFolder) throws {
        guard !files.exists else {
            throw RegistryError(
                .conflict,
                "there is a registry in \(files.name): move it away first, or restore to another folder with --registry"
            )
        }
        guard SystemCall.size(of: files.view(.timestamp)) == nil else {
            throw RegistryError(
                .conflict,
                "\(files.name) has what another registry showed (view/metadata/timestamp.json): move the folder away first"
            )
        }
        guard !files.root.path().hasPrefix(place.files.root.path()) else {
            throw RegistryError(.conflict, "\(files.name) is inside of the backups: give a folder elsewhere")
        }
    }

    private func copyObjects(
        to files: RegistryFolder, _ outcome: inout Outcome, _ report: (_ done: Int, _ all: Int) -> Void
    ) throws {
        let (objects, store) = (try place.objects(of: backup), ObjectStore(folder: files))
        for start in stride(from: 0, to: objects.count, by: Self.filesAtOnce) {
            report(start, objects.count)
            let workspace = try Workspace(in: files)
            var copied: [Object] = []
            for object in objects[start..<min(start + Self.filesAtOnce, objects.count)] {
                guard !store.isSound(object.digest) else {
                    outcome.keptCount += 1
                    continue
                }
                switch try ObjectCopy.copy(object, from: place.store, to: workspace.file(object.digest.hex)) {
                case .copied: copied.append(object)
                case .missing, .damaged: outcome.lost.append(.object(object.digest))
                }
            }
            try store.take(copied, from: workspace)
            outcome.copiedCount += copied.count
        }
    }

    private func putRows(to files: RegistryFolder) throws {
        // The log of a database that was here would be taken for this one's.
        for ending in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: files.database.path(percentEncoded: false) + ending)
        }
        let workspace = try Workspace(in: files)
        let copy = workspace.file("registry.sqlite")
        try FileManager.default.copyItem(at: place.folder(of: backup).database, to: copy)
        try SystemCall.synchronize(copy)
        try workspace.move(copy, to: files.database)
    }
}
