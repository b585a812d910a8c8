package import Foundation

#if canImport(Glibc)
    package import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    package import Darwin
#endif

/// What the file system says of a file's state: while it stays the same, so does the content, on file systems that keep a
/// time of the last status change. No program sets that back on them, unlike the time of the last modification.
package struct FileStamp: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Bytes.
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// Nanoseconds since 1970.
    package let changed: Int64

    package init(device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// nil where there is no regular file; a symbolic link is none.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// nil for what is no regular file.
    package init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            modified = Self.nanoseconds(status.st_mtimespec)
            changed = Self.nanoseconds(status.st_ctimespec)
        #else
            modified = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        #endif
    }

    /// Whether a later change gives another stamp: one within the same tick of the file system's clock (2 s on FAT, the
    /// coarsest) would not.
    package func isSettled(at now: Date) -> Bool {
        Double(max(modified, changed)) / 1e9 < now.timeIntervalSince1970 - 2.5
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : seconds &+ Int64(time.tv_nsec)
    }
}
