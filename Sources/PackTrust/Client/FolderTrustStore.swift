public import Foundation

/// A store in a folder of its own.
///
/// Each write goes to a new file that is synced, renamed over the old one, and then the folder is synced: at no moment
/// is a half-written file under a name that is read.
public struct FolderTrustStore: TrustStore {
    public let folder: URL

    /// Opens a store, making its folder if needed, and clears away what a killed process left half-written.
    /// - Throws: ``TrustError/store(path:reason:)``
    public init(folder: URL) throws(TrustError) {
        self.folder = folder
        try Self.makeFolder(folder)
        removeLeftovers(in: folder)
        removeLeftovers(in: folder.appendingPathComponent(StoreName.rootHistoryFolder))
    }

    public func read(_ name: String) throws -> [UInt8]? {
        let url = folder.appendingPathComponent(name)
        do {
            return Array(try Data(contentsOf: url))
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return nil
        } catch {
            throw TrustError.store(path: url.path, reason: "it cannot be read: \(error.localizedDescription)")
        }
    }

    public func write(_ bytes: [UInt8], to name: String) throws {
        let url = folder.appendingPathComponent(name)
        let parent = url.deletingLastPathComponent()
        try Self.makeFolder(parent)
        let unique = UUID().uuidString
        let temporary = parent.appendingPathComponent("\(Self.temporaryPrefix)\(getpid())-\(unique)")
        do {
            try Self.writeSynced(bytes, to: temporary)
            guard rename(temporary.path, url.path) == 0 else { throw Self.fault(url, "it cannot be replaced") }
            try Self.sync(folder: parent)
        } catch {
            unlink(temporary.path)
            throw error
        }
    }

    public func remove(_ name: String) throws {
        let url = folder.appendingPathComponent(name)
        guard unlink(url.path) != 0 else { return try Self.sync(folder: url.deletingLastPathComponent()) }
        guard errno == ENOENT else { throw Self.fault(url, "it cannot be removed") }
    }

    // MARK: Durable steps

    private static let temporaryPrefix = ".tmp-"

    private static func makeFolder(_ url: URL) throws(TrustError) {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue { return }
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw .store(path: url.path, reason: "the folder cannot be made: \(error.localizedDescription)")
        }
        try sync(folder: url.deletingLastPathComponent())
    }

    private static func writeSynced(_ bytes: [UInt8], to url: URL) throws(TrustError) {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw fault(url, "it cannot be made") }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault(url, "it cannot be written") }
            written += count
        }
        try sync(descriptor, url)
    }

    private static func sync(folder: URL) throws(TrustError) {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault(folder, "the folder cannot be opened") }
        defer { close(descriptor) }
        try sync(descriptor, folder)
    }

    private static func sync(_ descriptor: Int32, _ url: URL) throws(TrustError) {
        #if canImport(Darwin)
            // fsync leaves the bytes in the drive's own cache there.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw fault(url, "it cannot be synced to disk") }
    }

    private static func fault(_ url: URL, _ what: String) -> TrustError {
        .store(path: url.path, reason: "\(what): \(String(cString: strerror(errno)))")
    }

    /// A temporary file of a process that no longer runs will never be renamed.
    private func removeLeftovers(in folder: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(Self.temporaryPrefix) {
            let owner = name.dropFirst(Self.temporaryPrefix.count).prefix { $0 != "-" }
            guard let process = pid_t(owner), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
            unlink(folder.appendingPathComponent(name).path)
        }
    }
}
