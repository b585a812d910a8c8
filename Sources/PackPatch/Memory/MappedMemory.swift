#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#endif

/// Pages mapped from a file, or zeros that use memory only after a write. They are unmapped when the value is
/// destroyed.
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
        // Android's header says that it is never nil. MAP_FAILED is a cast, which Swift does not see there.
        let start: UnsafeMutableRawPointer? = mmap(nil, count, protection, flags, descriptor, 0)
        guard let start, start != UnsafeMutableRawPointer(bitPattern: -1) else { throw .outOfMemory }
        self.start = start
    }

    deinit {
        if let start { munmap(start, count) }
    }

    /// Where the system has larger pages for memory that is asked for them, each costs one fault instead of hundreds.
    func prefersLargePages() {
        #if os(Linux)
            if let start { madvise(start, count, MADV_HUGEPAGE) }
        #endif
    }

    /// For memory that is mapped from a file: what was read of it so far need not stay resident. It comes back from the
    /// file, mostly from the system's cache, where it is read again.
    func letPagesGo() {
        if let start { madvise(start, count, MADV_DONTNEED) }
    }

    /// Valid as long as the value lives.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
    var mutableBytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }
}
