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
    static func create(_ bytes: [UInt8], at url: URL, mode: mode_t = 0o600) throws(UpdateError) {
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

    /// Lets two names change places in one step: at every moment both are there.
    static func exchange(_ one: URL, with other: URL) throws(UpdateError) {
        #if canImport(Darwin)
            if renamex_np(one.path, other.path, UInt32(RENAME_SWAP)) == 0 { return }
        #else
            let exchanges: UInt32 = 1 << 1  // RENAME_EXCHANGE
            if renameat2(AT_FDCWD, one.path, AT_FDCWD, other.path, exchanges) == 0 { return }
        #endif
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw .system("exchange", one) }
        // A file system without the call: a kill between the first two steps leaves `other` missing, for a repair.
        let aside = one.appendingPathExtension("aside")
        try rename(other, to: aside)
        try rename(one, to: other)
        try rename(aside, to: one)
    }

    static func sync(folder: URL) throws(UpdateError) {
        let file = try OpenFile(folder, flags: O_RDONLY)
        try file.sync()
    }

    /// Makes a folder and those above it, for their owner alone; each new one is synced into its parent.
    static func makeFolder(_ url: URL) throws(UpdateError) { try makeFolder(url, hasParent: false) }

    private static func makeFolder(_ url: URL, hasParent: Bool) throws(UpdateError) {
        if mkdir(url.path, 0o700) == 0 {
            return try sync(folder: url.deletingLastPathComponent())
        }
        let code = errno
        if code == ENOENT, !hasParent {
            try makeFolder(url.deletingLastPathComponent())
            return try makeFolder(url, hasParent: true)
        }
        // What stands there may be a file, or a link to nothing.
        var status = stat()
        guard code == EEXIST, stat(url.path, &status) == 0, status.st_mode & 0o170000 == 0o040000 else {
            errno = code
            throw .system("make the folder", url)
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
            try file.handOver()
        }
        for folder in folders {
            let file = try OpenFile(folder, flags: O_RDONLY)
            try file.handOver()
        }
        #if canImport(Darwin)
            // One call makes the drive write all that was handed to it.
            try sync(folder: folder)
        #endif
    }

    /// Waits until every file of a folder and of those in it is on the device, whoever wrote it; no folder is no fault.
    static func sync(everythingIn folder: URL) throws(UpdateError) {
        guard try exists(folder) else { return }
        #if canImport(Glibc)
            let file = try OpenFile(folder, flags: O_RDONLY)
            guard syncfs(file.descriptor) == 0 else { throw .system("sync", folder) }
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
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            guard access(url.path, F_OK) == 0 else { return }
            throw .fileFailed(action: "remove", path: url.path, reason: "\(error.localizedDescription)")
        }
    }

    /// The bytes of a file; nil where there is none.
    /// - Parameter maximumByteCount: a longer file is damaged, and is not read.
    /// - Throws: ``UpdateError/damagedContent(_:reason:)`` for a longer one, else what the system says.
    static func read(_ url: URL, maximumByteCount: Int) throws(UpdateError) -> [UInt8]? {
        guard let file = try OpenFile(existing: url) else { return nil }
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
                throw .damagedContent(url.path, reason: "it is longer than \(maximumByteCount) bytes")
            }
        }
    }

    /// The bytes of a file; nil where there is none, and where it is longer than it can be and so damaged.
    static func readSound(_ url: URL, maximumByteCount: Int) throws(UpdateError) -> [UInt8]? {
        do {
            return try read(url, maximumByteCount: maximumByteCount)
        } catch {
            if case .damagedContent = error { return nil }
            throw error
        }
    }

    /// The names in a folder, sorted; none where there is no folder.
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

    /// Whether a name leads to an open file.
    static func isNamed(_ descriptor: Int32, as url: URL) -> Bool {
        var own = stat()
        var named = stat()
        guard fstat(descriptor, &own) == 0, stat(url.path, &named) == 0 else { return false }
        return own.st_dev == named.st_dev && own.st_ino == named.st_ino
    }

    /// The bytes that are free on the file system of a folder; nil where it does not say.
    static func freeBytes(at folder: URL) -> Int? {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return nil }
        let (bytes, overflow) = Int(status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }
}
