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

    /// Whether the view shows the newest commit whole: every one ends with a new timestamp, but for a new root alone, and
    /// files may have been lost since.
    func isCurrent() throws -> Bool {
        try database.read { db in
            let shown = FileManager.default.contents(
                atPath: folder.view(ViewLayout.metadata(TopLevelRole.timestamp.rawValue, version: 0))
                    .path(percentEncoded: false))
            guard try MetadataTable(db: db).newestBytes(TopLevelRole.timestamp.rawValue) == shown.map({ [UInt8]($0) })
            else { return false }
            return try !expected(db).contains { SystemCall.size(of: folder.view($0.path)) == nil }
        }
    }

    /// Writes what is missing. Whoever commits calls it; a crash in between is made good by the next one.
    func write() throws {
        let lock = try FolderLock(folder.lock)
        let workspace = try Workspace(in: folder)
        let timestamp = TopLevelRole.timestamp.rawValue
        // One read transaction: everything belongs to the timestamp that is written last.
        try database.read { db in
            let table = MetadataTable(db: db)
            let missing = try expected(db).compactMap { file -> (bytes: [UInt8], destination: URL)? in
                let destination = folder.view(file.path)
                guard SystemCall.size(of: destination) == nil, let bytes = try file.bytes() else { return nil }
                return (bytes, destination)
            }
            try workspace.put(missing)
            if let bytes = try table.newestBytes(timestamp) {
                let file = folder.view(ViewLayout.metadata(timestamp, version: 0))
                if FileManager.default.contents(atPath: file.path(percentEncoded: false)).map({ [UInt8]($0) }) != bytes
                {
                    try workspace.put(bytes, at: file)
                }
            }
            try removeOutdated(
                stored: table.all().filter { $0.role != timestamp }, channelFiles: table.channelFiles().map(\.path))
        }
        _ = consume lock
    }

    private struct ExpectedFile {
        let path: String
        let bytes: () throws -> [UInt8]?
    }

    /// Every file that the view must have beside the timestamp and the objects.
    private func expected(_ db: Database) throws -> [ExpectedFile] {
        let table = MetadataTable(db: db)
        let versions = VersionTable(db: db)
        let manifests = try versions.allPublished().map { version in
            let target = ViewLayout.manifestTarget(version.package, version.version)
            return ExpectedFile(path: ViewLayout.file(ofTarget: target, digest: version.manifest)) {
                try versions.manifestBytes(version.manifest)
            }
        }
        let channels = try table.channelFiles().map { file in
            ExpectedFile(path: file.path) { try table.channelBytes(file.digest) }
        }
        let roles = try table.all().filter { $0.role != TopLevelRole.timestamp.rawValue }.map { role in
            ExpectedFile(path: ViewLayout.metadata(role.role, version: role.version)) { try table.bytes(of: role) }
        }
        return manifests + channels + roles
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
