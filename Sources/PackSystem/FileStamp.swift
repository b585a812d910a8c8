#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    package import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    package import Android
#elseif canImport(Darwin)
    package import Darwin
#endif

/// The state of a file according to the file system. While it is the same, the content is the same, on file systems
/// that keep the time of the last status change. Programs cannot set that time back, unlike the time of the last
/// modification.
package struct FileStamp: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// The size in bytes.
    package let size: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package let modified: Int64
    /// The time of the last status change, in nanoseconds since 1970.
    package let changed: Int64

    package init(device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// Nil if there is no regular file; a symbolic link is not one.
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

    /// Nil if it is not a regular file.
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

    /// Whether a later change gives another stamp. A change within the same tick of the file system's clock (2 s on
    /// FAT, the coarsest) would not.
    package func isSettled(at now: Date) -> Bool {
        Double(max(modified, changed)) / 1e9 < now.timeIntervalSince1970 - 2.5
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : seconds &+ Int64(time.tv_nsec)
    }
}
