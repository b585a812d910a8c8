import CZstd

/// Decompresses one zstd frame, piece by piece, in memory that is bounded before the first byte.
struct FrameDecompressor: ~Copyable {
    /// One step's result.
    struct Progress {
        let consumed: Int
        let produced: Int
        /// The frame is complete and all that it gives has been given.
        let isFinished: Bool
    }

    /// What one step gives at most.
    static let outputChunkSize = 128 << 10

    private let context: OpaquePointer

    /// - Parameter windowLimit: Bytes of its own output that a frame may make the decoder keep.
    /// - Parameter prefix: Must stay valid and unchanged as long as the value lives.
    /// - Parameter keepsNothing: The output stays where it is for ``step(_:into:at:)``, so that no window is needed.
    init(prefix: UnsafeRawBufferPointer, windowLimit: UInt64, keepsNothing: Bool = false) throws(PatchError) {
        guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
        do {
            // `ZSTD_d_stableOutBuffer`. A library without it keeps a window, and gives the same.
            if keepsNothing { ZSTD_DCtx_setParameter(context, ZSTD_d_experimentalParam2, 1) }
            try Self.configure(context, prefix: prefix, windowLimit: windowLimit)
        } catch {
            ZSTD_freeDCtx(context)
            throw error
        }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// - Parameter position: Where in `output` to go on.
    borrowing func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, at position: Int = 0
    ) throws(PatchError) -> Progress {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var destination = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: position)
        let result = ZSTD_decompressStream(context, &destination, &source)
        if ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall { throw .overlong(expected: output.count) }
        try Self.check(result)
        return Progress(consumed: source.pos, produced: destination.pos - position, isFinished: result == 0)
    }

    private static func configure(
        _ context: OpaquePointer, prefix: UnsafeRawBufferPointer, windowLimit: UInt64
    ) throws(PatchError) {
        let bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax)
        let log = Int32(UInt64.bitWidth - (max(windowLimit, 2) - 1).leadingZeroBitCount)
        try check(
            ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, min(max(log, bounds.lowerBound), bounds.upperBound)))
        if !prefix.isEmpty { try check(ZSTD_DCtx_refPrefix(context, prefix.baseAddress, prefix.count)) }
    }

    private static func check(_ result: Int) throws(PatchError) {
        guard ZSTD_isError(result) != 0 else { return }
        if ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation { throw .outOfMemory }
        throw .corrupt(reason: String(cString: ZSTD_getErrorName(result)))
    }
}
