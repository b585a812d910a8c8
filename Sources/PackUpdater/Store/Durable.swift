#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif
import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The durable steps of ``SystemCall`` for a store: only its owner can read the files, and failures are an
/// ``UpdateError``.
enum Durable {
    /// Replaces a file as a whole: readers see the old bytes or the new.
    static func write(_ bytes: [UInt8], to url: URL) throws(UpdateError) {
        try UpdateError.system("write", url) { () throws(FileFault) in
            // Two writers of one file would share its next one: an update, and a page that looks at the channel.
            let next = url.appendingPathExtension("new")
            try writing.withLock { _ in
                Result { () throws(FileFault) in try SystemCall.replace(url, with: bytes, mode: 0o600, through: next) }
            }.get()
        }
    }

    private static let writing = Locked(())

    /// Writes a file and syncs its bytes, not its folder.
    static func create(_ bytes: [UInt8], at url: URL, mode: UInt32) throws(UpdateError) {
        try UpdateError.system("write", url) { () throws(FileFault) in
            try SystemCall.create(url, with: bytes, mode: mode, isNew: false)
        }
    }

    static func rename(_ source: URL, to target: URL) throws(UpdateError) {
        try UpdateError.system("rename", source) { () throws(FileFault) in try SystemCall.rename(source, to: target) }
    }

    /// Lets two names change places in one step: at every moment both are there.
    static func exchange(_ one: URL, with other: URL) throws(UpdateError) {
        try UpdateError.system("exchange", one) { () throws(FileFault) in try SystemCall.exchange(one, with: other) }
    }

    static func sync(folder: URL) throws(UpdateError) {
        try UpdateError.system("sync", folder) { () throws(FileFault) in try SystemCall.synchronize(folder) }
    }

    /// Makes a folder and those above it, for their owner alone; each new one is synced into its parent.
    static func makeFolder(_ url: URL) throws(UpdateError) {
        try UpdateError.system("make the folder", url) { () throws(FileFault) in
            try SystemCall.makeFolders(url, mode: 0o700)
        }
    }

    /// Waits for a lock.
    /// - Parameter creating: false locks a file that is there, which may be one that nobody writes.
    static func lock(_ url: URL, _ kind: FileLock.Kind, creating: Bool = true) throws(UpdateError) -> FileLock {
        try UpdateError.system("lock", url) { () throws(FileFault) in
            try FileLock.wait(for: url, kind, creating: creating)
        }
    }

    /// nil if somebody else holds the lock.
    static func lock(
        ifFree url: URL, _ kind: FileLock.Kind, creating: Bool = true
    ) throws(UpdateError) -> FileLock? {
        try UpdateError.system("lock", url) { () throws(FileFault) in
            try FileLock.take(url, kind, creating: creating)
        }
    }

    /// Takes the rights on a file or folder of ours from everybody but its owner, where others have any.
    static func makePrivate(_ url: URL) {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & 0o170000 != 0o120000, status.st_mode & 0o077 != 0 else {
            return
        }
        // A store of another user is not ours to mend.
        chmod(url.path, status.st_mode & 0o700)
    }

    /// Waits until what was written under `folder` is on the device.
    static func sync(files: [URL], folders: [URL], in folder: URL) throws(UpdateError) {
        try UpdateError.system("sync", folder) { () throws(FileFault) in
            try SystemCall.synchronizeAll(files + folders, under: folder)
        }
    }

    /// Waits until every file of a folder and of those in it is on the device, whoever wrote it; no folder is no fault.
    static func sync(everythingIn folder: URL) throws(UpdateError) {
        guard try exists(folder) else { return }
        #if canImport(Glibc) || canImport(Android)
            try UpdateError.system("sync", folder) { () throws(FileFault) in
                try SystemCall.synchronizeFileSystem(of: folder)
            }
        #else
            var (files, folders): ([URL], [URL]) = ([], [folder])
            for name in try names(in: folder) {
                let inner = folder.appending(path: name)
                let found = try names(in: inner)
                files += found.map { inner.appending(path: $0) }
                folders.append(inner)
            }
            try sync(files: files, folders: folders, in: folder)
        #endif
    }

    /// Removes a file or a whole folder; none there is no fault.
    static func remove(_ url: URL) throws(UpdateError) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        } catch {
            guard access(url.path, F_OK) == 0 else { return }
            throw .fileFailed(action: "remove", path: url.path, reason: SystemCall.reason(of: error))
        }
    }

    /// The bytes of a file; nil if there is none.
    /// - Parameter maximumByteCount: a longer file is damaged, and is not read.
    /// - Throws: ``UpdateError/damagedContent(_:reason:)`` for a longer one, else what the system says.
    static func read(_ url: URL, maximumByteCount: Int) throws(UpdateError) -> [UInt8]? {
        guard let file = try OpenFile(existing: url) else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { SystemCall.read(file.descriptor, into: $0) }
            guard count >= 0 else { throw .system("read", url) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= maximumByteCount else {
                throw .damagedContent(url.path, reason: "it is longer than \(maximumByteCount) bytes")
            }
        }
    }

    /// The bytes of a file; nil if there is none, and where it is longer than it can be and so damaged.
    static func readSound(_ url: URL, maximumByteCount: Int) throws(UpdateError) -> [UInt8]? {
        do {
            return try read(url, maximumByteCount: maximumByteCount)
        } catch {
            if case .damagedContent = error { return nil }
            throw error
        }
    }

    /// The names in a folder, sorted; none if there is no folder.
    /// - Throws: where there is one that cannot be read: taken for an empty one, a collection would remove what it has.
    static func names(in folder: URL) throws(UpdateError) -> [String] {
        guard let stream = opendir(folder.path) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw .system("list", folder)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .system("list", folder) }
                return names.sorted()
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Whether something has this name, be it a link to nothing.
    static func exists(_ url: URL) throws(UpdateError) -> Bool {
        var status = stat()
        if lstat(url.path, &status) == 0 { return true }
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw .system("look at", url)
    }

    /// The size of a regular file; nil if there is none.
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

    /// The bytes that are free on the file system of a folder; nil if it does not say.
    static func freeBytes(at folder: URL) -> Int? {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return nil }
        let (bytes, overflow) = Int(status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }
}
