#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// POSIX calls that throw a ``FileFault``, which names the file and says what to do.
package enum SystemCall {
    /// - Parameter mode: The permissions of a new file.
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

    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ file: URL) throws(FileFault) {
        let result = bytes.withUnsafeBytes { bytes in
            Result<Void, FileFault> { () throws(FileFault) in try writeAll(bytes, to: descriptor, file) }
        }
        try result.get()
    }

    /// Reads up to the size of `buffer`: the number of bytes, 0 at the end of the file, or below 0, with the cause in `errno`.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        retrying { systemRead(descriptor, buffer) }
    }

    package static func rename(_ source: URL, to destination: URL) throws(FileFault) {
        let result = source.path(percentEncoded: false).withCString { from in
            destination.path(percentEncoded: false).withCString { to in retrying { systemRename(from, to) } }
        }
        guard result == 0 else { throw failure("put in place", destination) }
    }

    /// Creates a second name for a file. An existing name is not changed.
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

    /// The size of a regular file in bytes; nil if it does not exist.
    package static func size(of file: URL) -> Int? { size(ofPath: file.path(percentEncoded: false)) }

    /// Like ``size(of:)``, without the cost of a URL, for many files.
    package static func size(ofPath path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o170000 == 0o100000 else {
            return nil
        }
        return Int(status.st_size)
    }

    /// Whether it is a folder, or a symbolic link to one; nil if there is nothing, or nothing can be said about it.
    /// - Parameter path: without a slash at its end: with one the system finds folders only.
    package static func isFolder(atPath path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & 0o170000 == 0o040000
    }

    package static func failure(_ verb: String, _ file: URL, code: Int32 = errno) -> FileFault {
        let path = file.path(percentEncoded: false)
        return switch code {
        case ENOSPC, EDQUOT, EFBIG:
            FileFault(
                .full, "\(path) cannot be \(verb): no space left. Free some and run the command again", code: code)
        case ENOENT: FileFault(.missing, "\(path) cannot be \(verb): there is no such file", code: code)
        case EACCES, EPERM, EROFS:
            FileFault(.other, "\(path) cannot be \(verb): \(text(code)). Check who owns the folder", code: code)
        default: FileFault(.other, "\(path) cannot be \(verb): \(text(code))", code: code)
        }
    }

    package static func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    /// Locks an open file (flock). If it fails, `errno` has the cause: `EWOULDBLOCK` for a lock that somebody holds.
    package static func lock(_ descriptor: Int32, exclusive: Bool = true, waiting: Bool) -> Bool {
        let operation = (exclusive ? LOCK_EX : LOCK_SH) | (waiting ? 0 : LOCK_NB)
        return retrying { flock(descriptor, operation) } == 0
    }

    /// Whether a name refers to an open file.
    package static func isNamed(_ descriptor: Int32, as url: URL) -> Bool {
        var own = stat()
        var named = stat()
        guard fstat(descriptor, &own) == 0, stat(url.path(percentEncoded: false), &named) == 0 else { return false }
        return own.st_dev == named.st_dev && own.st_ino == named.st_ino
    }

    /// The system's text for a code of `errno`.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

// Outside, since the names mean the system's functions here, whatever the system's module is called.

private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemLink(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { link(from, to) }

private func systemRename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32 { rename(from, to) }
