import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The properties of a file that change when somebody writes to it. As long as they are the same, verified content
/// need not be read again.
struct FileIdentity: Equatable {
    /// The number of the file itself, whatever its names.
    let inode: UInt64
    /// Bytes.
    let size: Int64
    /// Nanoseconds since 1970. The first of the two can be set by anybody who may write the file, the second by nobody.
    let modified: Int64
    let changed: Int64

    init(inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    private init(_ status: stat) {
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let (modification, change) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modification, change) = (status.st_mtim, status.st_ctim)
        #endif
        modified = Int64(modification.tv_sec) &* 1_000_000_000 &+ Int64(modification.tv_nsec)
        changed = Int64(change.tv_sec) &* 1_000_000_000 &+ Int64(change.tv_nsec)
    }

    /// Looks at the objects of a store, of which a start has thousands: their folder is opened once, and no name is
    /// made as a text.
    struct Reader: ~Copyable {
        private let folder: Int32
        /// `ab/abcdef…` and the end.
        private var name = [CChar](repeating: 0, count: 2 + 1 + 64 + 1)

        init(_ layout: StoreLayout) throws(UpdateError) {
            folder = open(layout.objects.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 || errno == ENOENT || errno == ENOTDIR else { throw .system("open", layout.objects) }
        }

        deinit {
            if folder >= 0 { close(folder) }
        }

        /// nil if there is no regular file.
        mutating func identity(of digest: Digest) -> FileIdentity? {
            guard folder >= 0 else { return nil }
            let (a, b, c, d) = digest.words
            var index = 3
            for word in [a, b, c, d] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    let digit = UInt8(truncatingIfNeeded: word >> shift) & 15
                    name[index] = CChar(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                    index += 1
                }
            }
            (name[0], name[1], name[2]) = (name[3], name[4], CChar(UInt8(ascii: "/")))
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & 0o170000 == 0o100000
            else { return nil }
            return FileIdentity(status)
        }
    }
}
