#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import CSync
    import Glibc
#elseif canImport(Android)
    import Android
    import CSync
#elseif canImport(Darwin)
    import Darwin
#endif

/// The steps that survive a power cut: write a new file, sync it, rename it, sync the folder, and only then report
/// success.
///
/// Without them a rename can outlive the bytes it names: measured on XFS, a file of no bytes under its final name.
extension SystemCall {
    /// From this many files on, one call for the whole file system costs less than one a file: a thousand small files are
    /// one wait and not a thousand, and 20,000 single fsyncs take minutes on a spinning disk.
    private static let wholeFileSystemCount = 17

    /// Waits until an open file's bytes, or an open folder's names, are on the disk. If it fails, `errno` has the
    /// cause.
    package static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // fsync only hands the bytes to the drive; a file system without the call has nothing better.
            if retrying({ fcntl(descriptor, F_FULLFSYNC) }) == 0 { return true }
        #endif
        return retrying { fsync(descriptor) } == 0
    }

    /// Calls ``flush(_:)`` and throws an error that names the file.
    package static func synchronize(_ descriptor: Int32, _ file: URL) throws(FileFault) {
        guard flush(descriptor) else { throw failure("written to disk", file) }
    }

    /// Calls ``synchronize(_:_:)`` for a file or folder by its path.
    package static func synchronize(_ file: URL) throws(FileFault) {
        let descriptor = try open(file, O_RDONLY)
        defer { close(descriptor) }
        try synchronize(descriptor, file)
    }

    /// Waits until all writes to many files and folders of one folder are on the disk. A few are synced one by one,
    /// in this order; for many the whole file system is synced at once.
    package static func synchronizeAll(_ files: [URL], under folder: URL) throws(FileFault) {
        #if canImport(Glibc) || canImport(Android)
            if files.count >= wholeFileSystemCount { return try synchronizeFileSystem(of: folder) }
            for file in files { try synchronize(file) }
        #else
            for file in files {
                let descriptor = try open(file, O_RDONLY)
                defer { close(descriptor) }
                guard retrying({ fsync(descriptor) }) == 0 else { throw failure("written to disk", file) }
            }
            // One call makes the drive write all that was handed to it.
            if !files.isEmpty { try synchronize(folder) }
        #endif
    }

    /// Waits until all writes to the folder's file system are on the disk.
    package static func synchronizeFileSystem(of folder: URL) throws(FileFault) {
        #if canImport(Glibc) || canImport(Android)
            let descriptor = try open(folder, O_RDONLY)
            defer { close(descriptor) }
            guard retrying({ syncfs(descriptor) }) == 0 else { throw failure("written to disk", folder) }
        #else
            sync()
        #endif
    }

    /// Writes a file and waits until its bytes are on the disk. Its name is durable only when its folder was
    /// synchronized.
    /// - Parameter isNew: a file that is there already is a failure, else it is overwritten.
    package static func create(
        _ file: URL, with bytes: [UInt8], mode: UInt32, isNew: Bool
    ) throws(FileFault) {
        let descriptor = try open(file, O_WRONLY | O_CREAT | (isNew ? O_EXCL : O_TRUNC), mode: mode)
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor, file)
        try synchronize(descriptor, file)
    }

    /// Replaces a small file, so that it is there completely or as it was: new file, fsync, rename, fsync of the
    /// folder.
    /// - Parameter temporary: The file to write first, in the same folder; nil for a unique name. If a killed process
    ///   has left this file, it is overwritten.
    package static func replace(
        _ file: URL, with bytes: [UInt8], mode: UInt32 = 0o644, through temporary: URL? = nil
    ) throws(FileFault) {
        let folder = file.deletingLastPathComponent()
        let place = temporary ?? folder.appending(path: ".\(UUID().uuidString)", directoryHint: .notDirectory)
        do {
            try create(place, with: bytes, mode: mode, isNew: temporary == nil)
            try rename(place, to: file)
        } catch {
            unlink(place.path(percentEncoded: false))
            throw error
        }
        try synchronize(folder)
    }

    /// Exchanges two names in one step: at every moment both exist.
    package static func exchange(_ one: URL, with other: URL) throws(FileFault) {
        let (first, second) = (one.path(percentEncoded: false), other.path(percentEncoded: false))
        if systemExchange(first, second) == 0 { return }
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw failure("exchanged", one) }
        // A file system without the call: a kill between the first two steps leaves `other` missing, for a repair.
        let aside = one.appendingPathExtension("aside")
        try rename(other, to: aside)
        try rename(one, to: other)
        try rename(aside, to: one)
    }

    private static func systemExchange(_ first: String, _ second: String) -> Int32 {
        #if canImport(Darwin)
            return renamex_np(first, second, UInt32(RENAME_SWAP))
        #elseif canImport(Android)
            errno = ENOSYS  // Its renameat2 is there from API 30 on.
            return -1
        #else
            let exchanges: UInt32 = 1 << 1  // RENAME_EXCHANGE
            return renameat2(AT_FDCWD, first, AT_FDCWD, second, exchanges)
        #endif
    }

    /// Creates a folder and those above it.
    /// - Parameter isDurable: whether each outlasts a power cut.
    package static func makeFolders(_ folder: URL, mode: UInt32 = 0o755, isDurable: Bool = true) throws(FileFault) {
        var status = stat()
        if stat(folder.path(percentEncoded: false), &status) == 0, status.st_mode & 0o170000 == 0o040000 { return }
        let parent = folder.deletingLastPathComponent()
        if parent.path(percentEncoded: false) != folder.path(percentEncoded: false) {
            try makeFolders(parent, mode: mode, isDurable: isDurable)
        }
        guard mkdir(folder.path(percentEncoded: false), mode_t(mode)) == 0 else {
            let code = errno
            // Another process may have been quicker; what stands there may also be a file, or a link to nothing.
            guard code == EEXIST, stat(folder.path(percentEncoded: false), &status) == 0,
                status.st_mode & 0o170000 == 0o040000
            else { throw failure("made", folder, code: code) }
            if isDurable { try synchronize(parent) }
            return
        }
        if isDurable { try synchronize(parent) }
    }
}
