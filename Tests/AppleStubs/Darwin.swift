// Stands in for Apple's module `Darwin`: the C library. It is Glibc's, with what Apple's has in another shape (scripts/check-apple.py
// writes `Darwin_X` for each X that is declared so here), what only Apple's has, and some of what Apple's has not. Shapes and values are
// those of the SDK's headers, which each line names. Declarations only. Other names of Glibc are not compared with the SDK.
@_exported public import Glibc

// MARK: In another shape

/// sys/_types/_mode_t.h, _off_t.h: 16 bits; 64 bits whatever the architecture.
public typealias Darwin_mode_t = UInt16
public typealias Darwin_off_t = Int64

/// sys/stat.h, with 64-bit inodes.
public struct Darwin_stat {
    public init() {}
    public var st_dev: Int32 = 0
    public var st_mode: Darwin_mode_t = 0
    public var st_nlink: UInt16 = 0
    public var st_ino: UInt64 = 0
    public var st_uid: uid_t = 0
    public var st_gid: gid_t = 0
    public var st_atimespec = timespec()
    public var st_mtimespec = timespec()
    public var st_ctimespec = timespec()
    public var st_size: Darwin_off_t = 0
    public var st_blocks: Int64 = 0
    public var st_blksize: Int32 = 0
}
public func stat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_stat>!) -> Int32 { -1 }
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_stat>!) -> Int32 { -1 }
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<Darwin_stat>!) -> Int32 { -1 }
public func fstatat(
    _ folder: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_stat>!, _ flags: Int32
) -> Int32 { -1 }

/// sys/_types/_s_ifmt.h, by the overlay.
public var Darwin_S_IFMT: Darwin_mode_t { 0o170000 }
public var Darwin_S_IFREG: Darwin_mode_t { 0o100000 }
public var Darwin_S_IFDIR: Darwin_mode_t { 0o040000 }
public var Darwin_S_IFLNK: Darwin_mode_t { 0o120000 }

/// sys/stat.h and, as variadic functions by the overlay, sys/fcntl.h.
@discardableResult
public func Darwin_mkdir(_ path: UnsafePointer<CChar>!, _ mode: Darwin_mode_t) -> Int32 { -1 }
@discardableResult
public func Darwin_chmod(_ path: UnsafePointer<CChar>!, _ mode: Darwin_mode_t) -> Int32 { -1 }
@discardableResult
public func Darwin_fchmod(_ descriptor: Int32, _ mode: Darwin_mode_t) -> Int32 { -1 }
@_disfavoredOverload
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: Darwin_mode_t) -> Int32 { -1 }

/// unistd.h
@discardableResult
public func Darwin_lseek(_ descriptor: Int32, _ offset: Darwin_off_t, _ whence: Int32) -> Darwin_off_t { -1 }
@discardableResult
public func Darwin_ftruncate(_ descriptor: Int32, _ size: Darwin_off_t) -> Int32 { -1 }
public func Darwin_pread(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ offset: Darwin_off_t
) -> Int { -1 }
public func Darwin_pwrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ offset: Darwin_off_t
) -> Int { -1 }

/// dirent.h: a folder that is being read is a struct that Swift sees, and names have up to 1,023 bytes.
public struct Darwin_DIR {}
public struct Darwin_dirent {
    public var d_ino: UInt64
    public var d_seekoff: UInt64
    public var d_reclen: UInt16
    public var d_namlen: UInt16
    public var d_type: UInt8
    /// 1,024 elements in the SDK.
    public var d_name: (CChar, CChar, CChar, CChar)
}
public func Darwin_opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<Darwin_DIR>! { nil }
public func Darwin_fdopendir(_ descriptor: Int32) -> UnsafeMutablePointer<Darwin_DIR>! { nil }
public func Darwin_readdir(_ folder: UnsafeMutablePointer<Darwin_DIR>!) -> UnsafeMutablePointer<Darwin_dirent>! { nil }
@discardableResult
public func Darwin_closedir(_ folder: UnsafeMutablePointer<Darwin_DIR>!) -> Int32 { -1 }
public func Darwin_dirfd(_ folder: UnsafeMutablePointer<Darwin_DIR>!) -> Int32 { -1 }

/// sys/statvfs.h: blocks are counted in 32 bits.
public struct Darwin_statvfs {
    public init() {}
    public var f_bsize: UInt = 0
    public var f_frsize: UInt = 0
    public var f_blocks: UInt32 = 0
    public var f_bfree: UInt32 = 0
    public var f_bavail: UInt32 = 0
}
public func statvfs(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_statvfs>!) -> Int32 { -1 }

/// sys/resource.h, sys/_types/_timeval.h: microseconds have 32 bits, and whose use it is is a plain number.
public struct Darwin_timeval {
    public init() {}
    public init(tv_sec: Int, tv_usec: Int32) {}
    public var tv_sec = 0
    public var tv_usec: Int32 = 0
}
public struct Darwin_rusage {
    public init() {}
    public var ru_utime = Darwin_timeval()
    public var ru_stime = Darwin_timeval()
    public var ru_maxrss = 0
}
public var Darwin_RUSAGE_SELF: Int32 { 0 }
public func Darwin_getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<Darwin_rusage>!) -> Int32 { -1 }

/// sys/socket.h
public var Darwin_SOCK_STREAM: Int32 { 1 }

/// spawn.h: both are pointers.
public typealias Darwin_posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias Darwin_posix_spawnattr_t = UnsafeMutableRawPointer
public typealias Darwin_Actions = UnsafeMutablePointer<Darwin_posix_spawn_file_actions_t?>
public typealias Darwin_Attributes = UnsafeMutablePointer<Darwin_posix_spawnattr_t?>
@discardableResult public func Darwin_posix_spawn_file_actions_init(_ actions: Darwin_Actions!) -> Int32 { -1 }
@discardableResult public func Darwin_posix_spawn_file_actions_destroy(_ actions: Darwin_Actions!) -> Int32 { -1 }
@discardableResult
public func Darwin_posix_spawn_file_actions_adddup2(_ actions: Darwin_Actions!, _ from: Int32, _ to: Int32) -> Int32 {
    -1
}
@discardableResult public func Darwin_posix_spawnattr_init(_ attributes: Darwin_Attributes!) -> Int32 { -1 }
@discardableResult public func Darwin_posix_spawnattr_destroy(_ attributes: Darwin_Attributes!) -> Int32 { -1 }
@discardableResult
public func Darwin_posix_spawnattr_setflags(_ attributes: Darwin_Attributes!, _ flags: Int16) -> Int32 { -1 }
@discardableResult
public func Darwin_posix_spawnattr_setpgroup(_ attributes: Darwin_Attributes!, _ group: pid_t) -> Int32 { -1 }
@discardableResult
public func Darwin_posix_spawnattr_setsigdefault(_ attributes: Darwin_Attributes!, _ signals: UnsafePointer<sigset_t>!)
    -> Int32
{ -1 }
@discardableResult
public func Darwin_posix_spawnattr_setsigmask(_ attributes: Darwin_Attributes!, _ signals: UnsafePointer<sigset_t>!)
    -> Int32
{ -1 }
public func Darwin_posix_spawnp(
    _ process: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!, _ actions: Darwin_Actions!,
    _ attributes: Darwin_Attributes!, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
    _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { -1 }

// MARK: Only on Apple's systems

/// sys/fcntl.h: the drive itself writes what it holds.
public var F_FULLFSYNC: Int32 { 51 }

/// sys/stdio.h (from iOS 10): with RENAME_SWAP both names are exchanged.
public var RENAME_SWAP: Int32 { 0x0000_0002 }
public func renamex_np(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!, _ flags: UInt32) -> Int32 { -1 }

/// sys/spawn.h, spawn.h: a started process has only the descriptors that are named.
public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }
@discardableResult
public func posix_spawn_file_actions_addinherit_np(_ actions: Darwin_Actions!, _ descriptor: Int32) -> Int32 { -1 }

// MARK: Not on Apple's systems

@available(*, unavailable, message: "Apple's systems do not have it")
public func Darwin_posix_fadvise(_ descriptor: Int32, _ offset: Int, _ count: Int, _ advice: Int32) -> Int32 { -1 }
@available(*, unavailable, message: "Apple's systems do not have it")
public var Darwin_MADV_HUGEPAGE: Int32 { 14 }
@available(*, unavailable, message: "Apple's systems do not have it")
public var Darwin_MSG_NOSIGNAL: Int32 { 0x4000 }
@available(*, unavailable, message: "Apple's systems do not have it")
public func Darwin_syncfs(_ descriptor: Int32) -> Int32 { -1 }
@available(*, unavailable, message: "Apple's systems do not have it")
public func Darwin_pipe2(_ ends: UnsafeMutablePointer<Int32>!, _ flags: Int32) -> Int32 { -1 }
@available(*, unavailable, message: "Apple's systems do not have it")
public func Darwin_malloc_trim(_ kept: Int) -> Int32 { 0 }
@available(*, unavailable, message: "Apple's systems do not have it: st_mtimespec")
public var Darwin_st_mtim: Int32 { 0 }
