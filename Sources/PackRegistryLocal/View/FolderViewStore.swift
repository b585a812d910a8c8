import Foundation
import PackFormat
import PackRegistry
import PackSystem

/// The view of a registry folder: plain files that anything can serve.
struct FolderViewStore: ViewStore {
    let folder: RegistryFolder

    @discardableResult
    func put(_ files: [ViewFile]) async throws -> Set<ViewPath> {
        let missing = try await BlockingWork.run { [self] in
            let root = folder.view.path(percentEncoded: false)
            let missing = files.filter { SystemCall.size(ofPath: root + $0.path.description) == nil }
            let absent = Set(missing.map(\.path))
            // What somebody else has put in place a moment ago may not be durable yet.
            if missing.count < files.count, Workspace.isAnyOpen(in: folder) {
                let parents = files.filter { !absent.contains($0.path) }
                    .map { folder.view($0.path).deletingLastPathComponent() }
                try SystemCall.synchronizeAll(Array(Set(parents)), under: folder.view)
            }
            return missing
        }
        guard !missing.isEmpty else { return [] }
        var loaded: [(bytes: [UInt8], path: ViewPath)] = []
        var byteCount = 0
        for (index, file) in missing.enumerated() {
            let bytes = try await file.bytes()
            loaded.append((bytes, file.path))
            byteCount += bytes.count
            // A view that is written anew can have a gigabyte.
            guard byteCount >= Self.pieceByteCount || index == missing.count - 1 else { continue }
            let written = loaded
            loaded = []
            byteCount = 0
            try await BlockingWork.run { [self] in
                let workspace = try Workspace(in: folder)
                try workspace.put(written.map { ($0.bytes, folder.view($0.path)) })
            }
        }
        return Set(missing.map(\.path))
    }

    /// Bytes that are in memory at once, besides those of one file.
    private static let pieceByteCount = 16 << 20

    func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
        try await BlockingWork.run { [self] in
            let workspace = try Workspace(in: folder)
            let lock = try FolderLock(folder.lock)
            let file = folder.view(.timestamp)
            let found = FileManager.default.contents(atPath: file.path(percentEncoded: false)).map { [UInt8]($0) }
            guard found == shown else { throw StaleView() }
            try workspace.put(timestamp, at: file)
            _ = consume lock
        }
    }

    func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        let file = folder.view(path)
        return try await BlockingWork.run {
            guard SystemCall.size(of: file) != nil else { return nil }
            let input = try FileHandle(forReadingFrom: file)
            defer { try? input.close() }
            // Of the file that is open: one that is replaced meanwhile is another.
            let size = Int(try input.seekToEnd())
            guard offset < size else { return ViewPart([], size: size) }
            try input.seek(toOffset: UInt64(max(0, offset)))
            let bytes = try input.read(upToCount: min(maximumByteCount, size - offset))
            return ViewPart(bytes.map { [UInt8]($0) } ?? [], size: size)
        }
    }

    func remove(_ paths: [ViewPath]) async throws {
        guard !paths.isEmpty else { return }
        try await BlockingWork.run { [self] in
            for path in paths { try? FileManager.default.removeItem(at: folder.view(path)) }
        }
    }

    // MARK: What nothing leads to

    /// The names of the files in those folders of which the registry forgets some.
    func forgettable() -> [String] {
        ["metadata", "targets/channels"].flatMap { path in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.view(path).path)) ?? []
            return names.map { "\(path)/\($0)" }
        }
    }

    /// Removes files that were there before it was found out which ones are kept, so that what is put meanwhile stays.
    func remove(_ names: [String], keeping kept: Set<ViewPath>) {
        let kept = Set(kept.map(\.description))
        for name in names where !kept.contains(name) { try? FileManager.default.removeItem(at: folder.view(name)) }
    }
}
