import Foundation
import GRDB
import PackFormat
import PackTrust

/// Makes the published view from the database: idempotent, and never visible half.
///
/// Order (`docs/REGISTRY.md`): manifests, channel files and metadata, all of them new names that nobody asks for yet;
/// when they are durable, `metadata/timestamp.json` by a rename. A reader that started with the old timestamp finds
/// every file of the old whole, because files are immutable and the versions before the newest stay for a while.
struct ViewWriter: Sendable {
    let folder: RegistryFolder
    let database: RegistryDatabase

    /// Whether the view shows the newest commit: every one ends with a new timestamp, but for a new root alone.
    func isCurrent() throws -> Bool {
        let (newest, root) = try database.read { db in
            let table = MetadataTable(db: db)
            let root = try table.newestVersions().first { $0.role == TopLevelRole.root.rawValue }
            return (try table.newestBytes(TopLevelRole.timestamp.rawValue), root)
        }
        if let root, SystemCall.size(of: folder.view(ViewLayout.metadata(root.role, version: root.version))) == nil {
            return false
        }
        let shown = FileManager.default.contents(
            atPath: folder.view(ViewLayout.metadata(TopLevelRole.timestamp.rawValue, version: 0))
                .path(percentEncoded: false))
        return newest == shown.map { [UInt8]($0) }
    }

    /// Writes what is missing. Whoever commits calls it; a crash in between is made good by the next one.
    func write() throws {
        let lock = try FolderLock(folder.lock)
        let workspace = try Workspace(in: folder)
        let timestamp = TopLevelRole.timestamp.rawValue
        // One read transaction: everything belongs to the timestamp that is written last.
        try database.read { db in
            let table = MetadataTable(db: db)
            let versions = VersionTable(db: db)
            var missing: [(bytes: [UInt8], destination: URL)] = []
            for version in try versions.allPublished() {
                let path = ViewLayout.file(
                    ofTarget: ViewLayout.manifestTarget(version.package, version.version), digest: version.manifest)
                try collect(path, in: &missing) { try versions.manifestBytes(version.manifest) }
            }
            for file in try table.channelFiles() {
                try collect(file.path, in: &missing) { try table.channelBytes(file.digest) }
            }
            let stored = try table.all().filter { $0.role != timestamp }
            for role in stored {
                try collect(ViewLayout.metadata(role.role, version: role.version), in: &missing) {
                    try table.bytes(of: role)
                }
            }
            try workspace.put(missing)
            if let bytes = try table.newestBytes(timestamp) {
                let file = folder.view(ViewLayout.metadata(timestamp, version: 0))
                if FileManager.default.contents(atPath: file.path(percentEncoded: false)).map({ [UInt8]($0) }) != bytes
                {
                    try workspace.put(bytes, at: file)
                }
            }
            try removeOutdated(stored: stored, channelFiles: table.channelFiles().map(\.path))
        }
        _ = consume lock
    }

    private func collect(
        _ path: String, in missing: inout [(bytes: [UInt8], destination: URL)], bytes: () throws -> [UInt8]?
    ) throws {
        let file = folder.view(path)
        guard SystemCall.size(of: file) == nil, let bytes = try bytes() else { return }
        missing.append((bytes, file))
    }

    /// Metadata and channel files that the database no longer keeps.
    private func removeOutdated(stored: [MetadataTable.Stored], channelFiles: [String]) throws {
        let metadata = Set(stored.map { ViewLayout.metadata($0.role, version: $0.version) })
            .union([ViewLayout.metadata(TopLevelRole.timestamp.rawValue, version: 0)])
        remove(in: ViewLayout.metadataFolder, keeping: metadata)
        remove(in: "\(ViewLayout.targetsFolder)/channels", keeping: Set(channelFiles))
    }

    private func remove(in path: String, keeping kept: Set<String>) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.view(path).path)) ?? []
        for name in names where !kept.contains("\(path)/\(name)") {
            try? FileManager.default.removeItem(at: folder.view("\(path)/\(name)"))
        }
    }
}
