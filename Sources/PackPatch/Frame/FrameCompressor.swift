import CZstd

/// Compresses bytes in memory to one zstd frame. Equal input gives equal bytes for one version of libzstd.
struct FrameCompressor: ~Copyable {
    /// How hard to try, and what to put into the frame.
    struct Settings {
        var level: Int32
        /// Looks for matches over the whole window even where the level's own tables do not reach.
        var matchesLongDistances = true
        /// Ends the frame with a checksum of the content: four bytes that only a tool without manifest needs.
        var hasChecksum = false
    }

    private let context: OpaquePointer

    init() throws(PatchError) {
        guard let context = ZSTD_createCCtx() else { throw .outOfMemory }
        self.context = context
    }

    deinit { ZSTD_freeCCtx(context) }

    /// The largest frame that `byteCount` bytes can need.
    static func bound(_ byteCount: Int) -> Int { ZSTD_compressBound(byteCount) }

    /// The window that reaches from the end of the content back to the start of the prefix, in bits.
    static func windowLog(prefix: Int, content: Int) -> Int32 {
        var log: Int32 = 10
        while log < 30, 1 << Int(log) < prefix + content + 1024 { log += 1 }
        return log
    }

    /// Compresses `content` against `prefix`.
    /// - Returns: The number of bytes written to `output`, which has room for ``bound(_:)``.
    borrowing func compress(
        _ content: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, settings: Settings,
        into output: UnsafeMutableRawBufferPointer
    ) throws(PatchError) -> Int {
        _ = ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters)
        try set(ZSTD_c_compressionLevel, settings.level)
        try set(ZSTD_c_checksumFlag, settings.hasChecksum ? 1 : 0)
        try set(ZSTD_c_contentSizeFlag, 1)
        if !prefix.isEmpty {
            // The window must cover prefix and content, or the far end of the prefix is out of reach.
            try set(ZSTD_c_windowLog, Self.windowLog(prefix: prefix.count, content: content.count))
            try set(ZSTD_c_enableLongDistanceMatching, settings.matchesLongDistances ? 1 : 0)
            try check(ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count))
        }
        let count = ZSTD_compress2(context, output.baseAddress, output.count, content.baseAddress, content.count)
        try check(count)
        return count
    }

    private borrowing func set(_ parameter: ZSTD_cParameter, _ value: Int32) throws(PatchError) {
        try check(ZSTD_CCtx_setParameter(context, parameter, value))
    }

    private borrowing func check(_ result: Int) throws(PatchError) {
        guard ZSTD_isError(result) != 0 else { return }
        if ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation { throw .outOfMemory }
        throw .corrupt(reason: String(cString: ZSTD_getErrorName(result)))
    }
}

/// The frame of some content, in memory.
struct CompressedFrame: ~Copyable {
    private let memory: MappedMemory
    private let count: Int

    init(
        _ content: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, _ settings: FrameCompressor.Settings
    ) throws(PatchError) {
        // Zero pages, of which only those that the frame fills become memory.
        let memory = try MappedMemory(zeroed: FrameCompressor.bound(content.count))
        count = try FrameCompressor().compress(content, prefix: prefix, settings: settings, into: memory.mutableBytes)
        self.memory = memory
    }

    /// Valid as long as the value lives.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes.prefix(count)) }
}
