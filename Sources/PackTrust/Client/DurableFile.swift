import Foundation

/// File changes that survive a power cut: the bytes are synced before they get their name, the folder after it.
enum DurableFile {
    static let temporaryPrefix = ".tmp-"

    /// Puts bytes under a name, in place of what was there.
    static func replace(_ url: URL, bytes: [UInt8]) throws(TrustError) {
        let temporary = temporaryURL(beside: url)
        do throws(TrustError) {
            try writeSynced(bytes, to: temporary, permissions: 0o644)
            guard rename(temporary.path, url.path) == 0 else { throw fault(url, "it cannot be replaced") }
            try sync(folder: url.deletingLastPathComponent())
        } catch {
            unlink(temporary.path)
            throw error
        }
    }

    /// Puts bytes under a name that is not taken.
    static func create(_ url: URL, bytes: [UInt8], permissions: mode_t) throws(TrustError) {
        let temporary = temporaryURL(beside: url)
        defer { unlink(temporary.path) }
        try writeSynced(bytes, to: temporary, permissions: permissions)
        // A link, unlike a rename, fails if the name is taken.
        guard link(temporary.path, url.path) == 0 else { throw fault(url, "it cannot be made") }
        try sync(folder: url.deletingLastPathComponent())
    }

    /// Removes a name; one that is not there is no error.
    static func remove(_ url: URL) throws(TrustError) {
        guard unlink(url.path) != 0 else { return try sync(folder: url.deletingLastPathComponent()) }
        guard errno == ENOENT else { throw fault(url, "it cannot be removed") }
    }

    /// Makes a folder and what is above it.
    static func makeFolder(_ url: URL) throws(TrustError) {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue { return }
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw .store(path: url.path, reason: "the folder cannot be made: \(error.localizedDescription)")
        }
        try sync(folder: url.deletingLastPathComponent())
    }

    /// Refuses a folder that could not be made because it, or what is above it, is a file.
    static func checkPlace(of folder: URL) throws(TrustError) {
        var place = folder.standardizedFileURL
        var isDirectory: ObjCBool = false
        while !FileManager.default.fileExists(atPath: place.path, isDirectory: &isDirectory) {
            guard place.pathComponents.count > 1 else { return }
            place = place.deletingLastPathComponent()
        }
        if !isDirectory.boolValue { throw .store(path: folder.path, reason: "\(place.path) is a file") }
    }

    /// Removes the temporary files of processes that no longer run: nobody will ever rename them.
    static func removeLeftovers(in folder: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(temporaryPrefix) {
            let owner = name.dropFirst(temporaryPrefix.count).prefix { $0 != "-" }
            guard let process = pid_t(owner), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
            unlink(folder.appendingPathComponent(name).path)
        }
    }

    private static func temporaryURL(beside url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent("\(temporaryPrefix)\(getpid())-\(UUID().uuidString)")
    }

    private static func writeSynced(_ bytes: [UInt8], to url: URL, permissions: mode_t) throws(TrustError) {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw fault(url, "it cannot be made") }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
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
}
