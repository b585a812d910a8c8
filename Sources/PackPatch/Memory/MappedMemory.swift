#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Pages mapped from a file, or zeros that become memory only where they are written; unmapped with the value.
struct MappedMemory: ~Copyable {
    private let start: UnsafeMutableRawPointer?
    let count: Int

    /// Memory of `count` zero bytes.
    init(zeroed count: Int) throws(PatchError) {
        try self.init(
            count: count, protection: PROT_READ | PROT_WRITE, flags: MAP_PRIVATE | MAP_ANON, descriptor: -1)
    }

    init(count: Int, protection: CInt, flags: CInt, descriptor: CInt) throws(PatchError) {
        self.count = count
        if count == 0 {  // no system maps nothing
            start = nil
            return
        }
        guard let start = mmap(nil, count, protection, flags, descriptor, 0), start != MAP_FAILED else {
            throw .outOfMemory
        }
        self.start = start
    }

    deinit {
        if let start { munmap(start, count) }
    }

    /// Valid as long as the value lives.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
    var mutableBytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }
}
