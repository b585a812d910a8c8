#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import CSync
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Foundation

/// The steps that survive a power cut: write new, sync the file, rename, sync the folder, and only then say "done".
///
/// Without them a rename can outlive the bytes it names: measured on XFS, a file of no bytes under its final name.
enum Durable {
    /// Replaces a file as a whole: readers see the old bytes or the new.
    static func write(_ bytes: [UInt8], to url: URL) throws(UpdateError) {
        let temporary = url.appendingPathExtension("new")
        try create(bytes, at: temporary)
        try rename(temporary, to: url)
        try sync(folder: url.deletingLastPathComponent())
    }

    /// Writes a file and syncs its bytes, not its folder.
    static func create(_ bytes: [UInt8], at url: URL, mode: mode_t = 0o644) throws(UpdateError) {
        let file = try OpenFile(url, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        try file.write(bytes)
        try file.sync()
    }

    static func rename(_ source: URL, to target: URL) throws(UpdateError) {
        #if canImport(Darwin)
            let result = Darwin.rename(source.path, target.path)
        #else
            let result = Glibc.rename(source.path, target.path)
        #endif
        guard result == 0 else { throw .system("rename", source) }
    }

    static func sync(folder: URL) throws(UpdateError) {
        let file = try OpenFile(folder, flags: O_RDONLY)
        try file.sync()
    }

    /// Makes a folder and those above it; each new one is synced into its parent.
    static func makeFolder(_ url: URL) throws(UpdateError) {
        if mkdir(url.path, 0o755) == 0 {
            return try sync(folder: url.deletingLastPathComponent())
        }
        if errno == ENOENT {
            try makeFolder(url.deletingLastPathComponent())
            return try makeFolder(url)
        }
        guard errno == EEXIST else { throw .system("make the folder", url) }
    }

    /// Waits until everything written under `folder` is on the device: one by one where that is little, else the
    /// whole file system at once, which is how a thousand small files cost one wait and not a thousand.
    static func sync(files: [URL], folders: [URL], in folder: URL) throws(UpdateError) {
        #if canImport(Glibc)
            if files.count + folders.count > 16 {
                let file = try OpenFile(folder, flags: O_RDONLY)
                guard syncfs(file.descriptor) == 0 else { throw .system("sync", folder) }
                return
            }
        #endif
        for url in files {
            let file = try OpenFile(url, flags: O_RDONLY)
            try file.sync()
        }
        for folder in folders { try sync(folder: folder) }
        #if canImport(Darwin)
            // fsync hands the bytes to the drive; this one call makes the drive write them.
            let file = try OpenFile(folder, flags: O_RDONLY)
            guard fcntl(file.descriptor, F_FULLFSYNC) == 0 else { throw .system("sync", folder) }
        #endif
    }

    /// Removes a file or a whole folder; none there is no fault.
    static func remove(_ url: URL) throws(UpdateError) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            guard access(url.path, F_OK) == 0 else { return }
            throw .fileFailed(action: "remove", path: url.path, reason: "\(error.localizedDescription)")
        }
    }

    /// The bytes of a file; nil where there is none.
    /// - Parameter maximumByteCount: a longer file is a fault, and is not read.
    static func read(_ url: URL, maximumByteCount: Int) throws(UpdateError) -> [UInt8]? {
        guard access(url.path, F_OK) == 0 else { return nil }
        let file = try OpenFile(url, flags: O_RDONLY)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            #if canImport(Darwin)
                let count = Darwin.read(file.descriptor, &chunk, chunk.count)
            #else
                let count = Glibc.read(file.descriptor, &chunk, chunk.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("read", url) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= maximumByteCount else {
                throw .fileFailed(
                    action: "read", path: url.path, reason: "it is longer than \(maximumByteCount) bytes")
            }
        }
    }

    /// The names in a folder, sorted; none where there is no folder.
    static func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// The size of a regular file; nil where there is none.
    static func size(of url: URL) -> Int? {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & 0o170000 == 0o100000 else { return nil }
        return Int(status.st_size)
    }

    /// Whether two names are one file (hard links).
    static func isSameFile(_ one: URL, _ other: URL) -> Bool {
        var first = stat()
        var second = stat()
        guard lstat(one.path, &first) == 0, lstat(other.path, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// The bytes that are free on the file system of a folder; nil where it does not say.
    static func freeBytes(at folder: URL) -> Int? {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return nil }
        let (bytes, overflow) = Int(status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }
}
