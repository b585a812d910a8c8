package import Foundation

#if canImport(Glibc)
    import CSync
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// POSIX calls whose failure is a ``FileFault`` that names the file and what to do.
package enum SystemCall {
    /// - Parameter mode: the permissions of a file that is made.
    package static func open(_ file: URL, _ flags: Int32, mode: UInt32 = 0o644) throws(FileFault) -> Int32 {
        let path = file.path(percentEncoded: false)
        let descriptor = path.withCString { path in retrying { systemOpen(path, flags | O_CLOEXEC, mode_t(mode)) } }
        guard descriptor >= 0 else { throw failure("opened", file) }
        return descriptor
    }

    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ file: URL
    ) throws(FileFault) {
        var rest = bytes
        while let address = rest.baseAddress, !rest.isEmpty {
            let count = retrying { write(descriptor, address, rest.count) }
            guard count > 0 else { throw failure("written", file) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Waits until the file's bytes are on the disk; on Darwin only `F_FULLFSYNC` does that.
    package static func synchronize(_ descriptor: Int32, _ file: URL) throws(FileFault) {
        #if canImport(Darwin)
            let result = retrying { fcntl(descriptor, F_FULLFSYNC) }
        #else
            let result = retrying { fsync(descriptor) }
        #endif
        guard result == 0 else { throw failure("written to disk", file) }
    }

    /// ``synchronize(_:_:)`` for a file or folder by its path.
    package static func synchronize(_ file: URL) throws(FileFault) {
        let descriptor = try open(file, O_RDONLY)
        defer { close(descriptor) }
        try synchronize(descriptor, file)
    }

    /// Waits until everything that was written to many files of one folder is on the disk.
    package static func synchronizeAll(_ files: [URL], under folder: URL) throws(FileFault) {
        #if canImport(Glibc)
            // One call for a whole package: 20,000 single fsyncs take minutes on a spinning disk.
            if files.count > 64 { return try synchronizeFileSystem(of: folder) }
        #endif
        for file in files { try synchronize(file) }
    }

    /// Waits until everything that anybody wrote to the folder's file system is on the disk.
    package static func synchronizeFileSystem(of folder: URL) throws(FileFault) {
        #if canImport(Glibc)
            let descriptor = try open(folder, O_RDONLY)
            defer { close(descriptor) }
            guard retrying({ syncfs(descriptor) }) == 0 else { throw failure("written to disk", folder) }
        #else
            sync()
        #endif
    }

    /// Puts a small file in place so that it is there whole or as it was, readable by all and written by its owner,
    /// whatever the umask is: new file, fsync, rename, fsync of the folder.
    package static func replace(_ file: URL, with bytes: [UInt8], mode: UInt32 = 0o644) throws {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appending(path: ".\(UUID().uuidString)", directoryHint: .notDirectory)
        let descriptor = try open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
        defer { close(descriptor) }
        do {
            try bytes.withUnsafeBytes { try writeAll($0, to: descriptor, temporary) }
            try synchronize(descriptor, temporary)
            try rename(temporary, to: file)
        } catch {
            unlink(temporary.path(percentEncoded: false))
            throw error
        }
        try synchronize(folder)
    }

    package static func rename(_ source: URL, to destination: URL) throws(FileFault) {
        let result = source.path(percentEncoded: false).withCString { from in
            destination.path(percentEncoded: false).withCString { to in retrying { systemRename(from, to) } }
        }
        guard result == 0 else { throw failure("put in place", destination) }
    }

    /// A second name for a file; one that exists stays what it is.
    package static func link(_ file: URL, to name: URL) throws(FileFault) {
        let result = file.path(percentEncoded: false).withCString { from in
            name.path(percentEncoded: false).withCString { to in retrying { systemLink(from, to) } }
        }
        guard result == 0 || errno == EEXIST else { throw failure("put in place", name) }
    }

    package static func makeFolder(_ folder: URL) throws(FileFault) {
        let result = folder.path(percentEncoded: false).withCString { mkdir($0, 0o755) }
        guard result == 0 || errno == EEXIST else { throw failure("made", folder) }
    }

    /// Makes a folder and those above it, each durable in its parent.
    package static func makeFolders(_ folder: URL) throws(FileFault) {
        var status = stat()
        if stat(folder.path(percentEncoded: false), &status) == 0 { return }
        let parent = folder.deletingLastPathComponent()
        if parent.path(percentEncoded: false) != folder.path(percentEncoded: false) { try makeFolders(parent) }
        try makeFolder(folder)
        try synchronize(parent)
    }

    /// The size of a regular file in bytes; nil where there is none.
    package static func size(of file: URL) -> Int? { size(ofPath: file.path(percentEncoded: false)) }

    /// ``size(of:)`` without the cost of a URL, for many files.
    package static func size(ofPath path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o170000 == 0o100000 else {
            return nil
        }
        return Int(status.st_size)
    }

    package static func failure(_ verb: String, _ file: URL, code: Int32 = errno) -> FileFault {
        let path = file.path(percentEncoded: false)
        return switch code {
        case ENOSPC, EDQUOT, EFBIG:
            FileFault(.full, "\(path) cannot be \(verb): no space left. Free some and run the command again")
        case ENOENT: FileFault(.missing, "\(path) cannot be \(verb): there is no such file")
        case EACCES, EPERM, EROFS:
            FileFault(.other, "\(path) cannot be \(verb): \(text(code)). Check who owns the folder")
        default: FileFault(.other, "\(path) cannot be \(verb): \(text(code))")
        }
    }

    package static func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, mode)
        #else
            Darwin.open(path, flags, mode)
        #endif
    }

    private static func systemLink(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
        #if canImport(Glibc)
            Glibc.link(from, to)
        #else
            Darwin.link(from, to)
        #endif
    }

    private static func systemRename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 {
        #if canImport(Glibc)
            Glibc.rename(from, to)
        #else
            Darwin.rename(from, to)
        #endif
    }
}
