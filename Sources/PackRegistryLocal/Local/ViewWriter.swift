import Foundation
import GRDB
import PackFormat
import PackRegistry
import PackSystem
import PackTrust

/// Writes the published view from the database. It can be repeated, and readers never see a half-written state.
///
/// Order (`docs/REGISTRY.md`): first manifests, channel files and metadata, all of them under new names that nobody
/// requests yet; when they are durable, `metadata/timestamp.json` by a rename. A reader that started with the old
/// timestamp finds every file of the old state, because files are immutable and older versions stay for a while.
///
///     try view.update()        // after a commit: what came since the timestamp that the view shows
///     try view.complete()      // every file is looked for, and what is missing written
///
/// The cost of an update depends on the changes and not on the size of the registry, because the files that the shown
/// timestamp names were written before it. The complete check finds files that somebody has removed since.
struct ViewWriter: Sendable {
    /// A complete check that is older than this is repeated, by whoever opens the registry.
    static let checkInterval: TimeInterval = 86_400

    let folder: RegistryFolder
    let database: RegistryDatabase

    /// Whether every file was looked for lately, and no repair is under way.
    /// - Parameter interval: seconds.
    func isChecked(within interval: TimeInterval = checkInterval) -> Bool {
        let path = folder.viewCheck.path(percentEncoded: false)
        guard let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date else {
            return false
        }
        return abs(date.timeIntervalSinceNow) < interval
    }

    /// Writes what came with the commits since the view was written last. Whoever commits calls it; a crash in between is
    /// made good by the next one.
    func update() throws {
        if case .current = try database.read({ try ViewStatus(folder: folder, db: $0) }) { return }
        let lock = try FolderLock(folder.lock)
        let workspace = try Workspace(in: folder)
        // One read transaction: everything belongs to the timestamp that is written last.
        let isUnknown = try database.read { db in
            switch try ViewStatus(folder: folder, db: db) {
            case .current: return false
            case .behind(let shown):
                let difference = try ViewDifference(since: shown, in: db)
                try workspace.put(missing(difference.files))
                try showTimestamp(db, workspace)
                difference.outdated.forEach(remove)
                if difference.changesChannels { try removeOutdatedChannelFiles(db) }
                return false
            case .unknown:
                try writeAll(db, workspace)
                return true
            }
        }
        if isUnknown { try markChecked() }
        _ = consume lock
    }

    /// Looks for every file and writes what is missing.
    func complete() throws {
        let lock = try FolderLock(folder.lock)
        let workspace = try Workspace(in: folder)
        try database.read { try writeAll($0, workspace) }
        try markChecked()
        _ = consume lock
    }

    private func writeAll(_ db: Database, _ workspace: borrowing Workspace) throws {
        // A repair that is interrupted is begun again: until its end the view counts as unchecked.
        if SystemCall.size(of: folder.viewCheck) != nil {
            try FileManager.default.removeItem(at: folder.viewCheck)
            try SystemCall.synchronize(folder.root)
        }
        let table = MetadataTable(db: db)
        try workspace.put(missing(ViewFile.all(in: db)))
        try showTimestamp(db, workspace)
        let timestamp = ViewLayout.metadata(TopLevelRole.timestamp.rawValue, version: 0)
        let metadata = try table.all().filter { $0.role != TopLevelRole.timestamp.rawValue }
            .map { ViewLayout.metadata($0.role, version: $0.version) }
        remove(in: ViewLayout.metadataFolder, keeping: Set(metadata + [timestamp]))
        try removeOutdatedChannelFiles(db)
    }

    /// Everything in the view is durable before it is marked.
    private func markChecked() throws {
        close(try SystemCall.open(folder.viewCheck, O_WRONLY | O_CREAT))
    }

    private func missing(_ files: [ViewFile]) throws -> [(bytes: [UInt8], destination: URL)] {
        let root = folder.view.path(percentEncoded: false)
        return try files.compactMap { file in
            guard SystemCall.size(ofPath: root + file.path) == nil, let bytes = try file.bytes() else { return nil }
            return (bytes, folder.view(file.path))
        }
    }

    private func showTimestamp(_ db: Database, _ workspace: borrowing Workspace) throws {
        let role = TopLevelRole.timestamp.rawValue
        guard let bytes = try MetadataTable(db: db).newestBytes(role) else { return }
        let file = folder.view(ViewLayout.metadata(role, version: 0))
        guard FileManager.default.contents(atPath: file.path(percentEncoded: false)).map({ [UInt8]($0) }) != bytes
        else {
            return
        }
        try workspace.put(bytes, at: file)
    }

    // MARK: What the database no longer keeps

    private func removeOutdatedChannelFiles(_ db: Database) throws {
        let kept = try MetadataTable(db: db).channelFiles().map(\.path)
        remove(in: "\(ViewLayout.targetsFolder)/channels", keeping: Set(kept))
    }

    private func remove(in path: String, keeping kept: Set<String>) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.view(path).path)) ?? []
        for name in names where !kept.contains("\(path)/\(name)") { remove("\(path)/\(name)") }
    }

    private func remove(_ path: String) {
        try? FileManager.default.removeItem(at: folder.view(path))
    }
}
