import Foundation

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What tells one state of a file from another without reading it.
struct FileStamp: Hashable, Sendable {
    let inode: UInt64
    let size: Int
    /// Nanoseconds.
    let modified: Int

    /// nil where there is no regular file; a symbolic link is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & 0o170000 == 0o100000 else { return nil }
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
    }
}
