import Foundation
import PackSystem

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A separate folder under `uploads/` for work in progress. It is removed at the end; if this process dies, by the
/// next process that makes such a folder.
///
///     let workspace = try Workspace(in: folder)
///     try workspace.put(bytes, at: folder.view("metadata/timestamp.json"))
struct Workspace: ~Copyable {
    let folder: URL
    private let lock: FolderLock

    init(in registry: RegistryFolder) throws {
        try SystemCall.makeFolder(registry.uploads)
        // Under the gate no folder is seen between its making and its locking.
        let gate = try FolderLock(registry.uploads.appending(path: "lock", directoryHint: .notDirectory))
        try Self.removeAbandoned(in: registry.uploads)
        let folder = registry.uploads.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        try SystemCall.makeFolder(folder)
        lock = try FolderLock(Self.lockFile(of: folder))
        self.folder = folder
        _ = consume gate
    }

    /// Whether somebody else is at work, or died at it: what they put in place may not be durable yet.
    var hasCompany: Bool {
        Self.folders(in: folder.deletingLastPathComponent()).contains {
            $0.lastPathComponent != folder.lastPathComponent
        }
    }

    /// Whether anybody is at work, or died at it.
    static func isAnyOpen(in registry: RegistryFolder) -> Bool { !folders(in: registry.uploads).isEmpty }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String) -> URL { folder.appending(path: name, directoryHint: .notDirectory) }

    /// Writes a file so that after a power cut it is there whole or not at all: new file, fsync, rename, fsync folder.
    func put(_ bytes: [UInt8], at destination: URL, mode: UInt32 = 0o644) throws {
        let temporary = file(UUID().uuidString)
        do {
            try SystemCall.create(temporary, with: bytes, mode: mode, isNew: true)
            try move(temporary, to: destination)
        } catch {
            unlink(temporary.path(percentEncoded: false))
            throw error
        }
    }

    /// Writes many files like ``put(_:at:mode:)`` with few waits for the disk: all bytes are durable before the first
    /// rename, and all names at return.
    func put(_ files: [(bytes: [UInt8], destination: URL)]) throws {
        guard !files.isEmpty else { return }
        var temporary: [URL] = []
        for (bytes, _) in files {
            let file = file(UUID().uuidString)
            let descriptor = try SystemCall.open(file, O_WRONLY | O_CREAT | O_EXCL)
            defer { close(descriptor) }
            try SystemCall.writeAll(bytes, to: descriptor, file)
            temporary.append(file)
        }
        try SystemCall.synchronizeAll(temporary, under: folder)
        var parents: Set<URL> = []
        for (file, destination) in zip(temporary, files.map(\.destination)) {
            let parent = destination.deletingLastPathComponent()
            if parents.insert(parent).inserted { try SystemCall.makeFolders(parent) }
            try SystemCall.rename(file, to: destination)
        }
        try SystemCall.synchronizeAll(Array(parents), under: folder)
    }

    /// Puts a file of this workspace, whose bytes are on the disk already, in place; makes the folders above.
    func move(_ file: URL, to destination: URL) throws {
        let parent = destination.deletingLastPathComponent()
        try SystemCall.makeFolders(parent)
        try SystemCall.rename(file, to: destination)
        try SystemCall.synchronize(parent)
    }

    /// ``move(_:to:)``, but what is there already stays.
    func moveIfAbsent(_ file: URL, to destination: URL) throws {
        let parent = destination.deletingLastPathComponent()
        try SystemCall.makeFolders(parent)
        try SystemCall.link(file, to: destination)
        try SystemCall.synchronize(parent)
    }

    private static func lockFile(of folder: URL) -> URL {
        folder.appending(path: "lock", directoryHint: .notDirectory)
    }

    private static func removeAbandoned(in uploads: URL) throws {
        for folder in folders(in: uploads) {
            guard let held = try? FolderLock(ifFree: lockFile(of: folder)) else { continue }
            // What its owner had put in place counts as durable once the folder is gone.
            try SystemCall.synchronizeFileSystem(of: uploads)
            try? FileManager.default.removeItem(at: folder)
            _ = consume held
        }
    }

    private static func folders(in uploads: URL) -> [URL] {
        let found = (try? FileManager.default.contentsOfDirectory(at: uploads, includingPropertiesForKeys: nil)) ?? []
        return found.filter { UUID(uuidString: $0.lastPathComponent) != nil }
    }
}
