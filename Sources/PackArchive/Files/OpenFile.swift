import Foundation
import PackSystem

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file that several threads may read and write at given offsets. It is closed with the last reference.
///
/// A class, unlike the other C handles, because several threads share it. Only positioned calls are used, so
/// there is no shared file position to race on.
final class OpenFile: Sendable {
    let descriptor: Int32
    /// The state in which it was opened for reading; nil for a file that is written.
    let stamp: FileStamp?

    private init(descriptor: Int32, stamp: FileStamp? = nil) {
        self.descriptor = descriptor
        self.stamp = stamp
    }

    /// Bytes, when it was opened.
    var size: Int { stamp?.size ?? 0 }

    deinit {
        close(descriptor)
    }

    /// Opens a regular file for reading. Never blocks on a FIFO and never follows the way a device would.
    static func reading(_ path: String) throws(SystemFault) -> OpenFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemFault() }
        guard let stamp = FileStamp(descriptor: descriptor) else {
            var status = stat()
            let isFolder = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            close(descriptor)
            throw SystemFault(
                isFolder ? "it is a folder; packtool build makes a zip of one" : "it is not a regular file")
        }
        return OpenFile(descriptor: descriptor, stamp: stamp)
    }

    /// Creates a file that did not exist; the process's umask applies.
    static func creating(_ path: String) throws(SystemFault) -> OpenFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemFault() }
        return OpenFile(descriptor: descriptor)
    }

    func status() throws(SystemFault) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemFault() }
        return status
    }

    /// Reads until the buffer is full or the file ends, and says how much was read.
    ///
    /// A regular file gives less than was asked for only at its end, so a short read is the last one.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemFault) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFault()
            }
            done += count
            // Linux reads 2 GiB at most at a time, so a larger part is asked for again.
            if done < buffer.count, done < 1 << 30 { break }
            if count == 0 { break }
        }
        return done
    }

    /// Reads exactly `count` bytes; nil if the file ends before.
    func bytes(at offset: Int, count: Int) throws(SystemFault) -> [UInt8]? {
        var fault: SystemFault?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(SystemFault) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return bytes.count == count ? bytes : nil
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFault) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFault()
            }
            done += count
        }
    }

    func truncate(to size: Int) throws(SystemFault) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw SystemFault() }
    }

    /// Lets the system write a part of the content to the disk without waiting; where it cannot, nothing happens.
    func startWriting(_ offset: Int, count: Int) {
        #if os(Linux)
            // Begins the write-back of dirty pages and keeps them until it is done (posix_fadvise(2)).
            _ = posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_DONTNEED)
        #endif
    }

    /// Waits until the content is on the disk.
    func synchronize() throws(SystemFault) {
        guard SystemCall.flush(descriptor) else { throw SystemFault() }
    }

    /// Waits until a folder's names are on the disk.
    static func synchronize(folder: String) throws(SystemFault) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw SystemFault() }
        try OpenFile(descriptor: descriptor).synchronize()
    }
}

/// The system's message about a failed call.
struct SystemFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// The reason that `errno` holds.
    init() {
        reason = String(cString: strerror(errno))
    }
}
