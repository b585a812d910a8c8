/// Reads the one frame at the end of a patch, within limits that are checked before anything is allocated.
struct FrameContent {
    /// What the content refers to; must stay valid during ``read(_:_:)``.
    let prefix: UnsafeRawBufferPointer
    /// What must come out: exactly `upperBound` bytes if `isExact`, else at most so many.
    let byteCount: Int
    let isExact: Bool
    /// Bytes of its own output that a frame may make us keep.
    let windowLimit: UInt64

    init(exactly byteCount: Int, prefix: UnsafeRawBufferPointer, windowLimit: UInt64) {
        self.init(byteCount: byteCount, isExact: true, prefix: prefix, windowLimit: windowLimit)
    }

    init(atMost byteCount: Int, prefix: UnsafeRawBufferPointer, windowLimit: UInt64) {
        self.init(byteCount: byteCount, isExact: false, prefix: prefix, windowLimit: windowLimit)
    }

    private init(byteCount: Int, isExact: Bool, prefix: UnsafeRawBufferPointer, windowLimit: UInt64) {
        self.byteCount = byteCount
        self.isExact = isExact
        self.prefix = prefix
        self.windowLimit = windowLimit
    }

    /// Gives the frame's content in chunks to `body`; `source` must end with the frame.
    func read(_ source: inout ChunkReader, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try check(FrameHeader(source.bytes(atLeast: FrameHeader.maximumByteCount)))
        let decompressor = try FrameDecompressor(prefix: prefix, windowLimit: windowLimit)
        var left = byteCount
        var isFinished = false
        try withUnsafeTemporaryAllocation(byteCount: FrameDecompressor.outputChunkSize, alignment: 64) { output in
            while !isFinished {
                try source.withBytes { input in
                    let progress = try decompressor.step(input, into: output)
                    guard progress.produced <= left else { throw PatchError.overlong(expected: byteCount) }
                    left -= progress.produced
                    try body(UnsafeRawBufferPointer(rebasing: output.prefix(progress.produced)))
                    isFinished = progress.isFinished
                    // With neither input left nor output made, the rest of the frame is missing.
                    if !isFinished, input.isEmpty, progress.produced == 0 { throw PatchError.truncated }
                    return progress.consumed
                }
            }
        }
        guard try source.bytes(atLeast: 1).isEmpty else { throw PatchError.trailingData }
        if isExact, left > 0 { throw PatchError.tooShort(found: byteCount - left, expected: byteCount) }
    }

    /// As ``read(_:_:)``, for content of an exact size that is kept whole.
    /// - Parameter output: Of that size; is unchanged outside of this function while it runs.
    /// - Parameter progressed: Is called with the number of bytes that are right so far; ends the reading with an error.
    func read(
        _ source: inout ChunkReader, into output: UnsafeMutableRawBufferPointer, _ progressed: (Int) throws -> Void
    ) throws {
        try check(FrameHeader(source.bytes(atLeast: FrameHeader.maximumByteCount)))
        let decompressor = try FrameDecompressor(prefix: prefix, windowLimit: windowLimit, keepsNothing: true)
        var position = 0
        var isFinished = false
        while !isFinished {
            try source.withBytes { input in
                // Little at a time, so that the content comes little by little.
                let input = UnsafeRawBufferPointer(rebasing: input.prefix(Self.inputStep))
                let progress = try decompressor.step(input, into: output, at: position)
                position += progress.produced
                try progressed(position)
                isFinished = progress.isFinished
                if !isFinished, input.isEmpty, progress.produced == 0 { throw PatchError.truncated }
                return progress.consumed
            }
        }
        guard try source.bytes(atLeast: 1).isEmpty else { throw PatchError.trailingData }
        if position < output.count { throw PatchError.tooShort(found: position, expected: output.count) }
    }

    private static let inputStep = 8 << 10

    /// What can be judged before the content is read.
    func check(_ header: FrameHeader) throws(PatchError) {
        if let claimed = header.contentSize, claimed > byteCount || isExact && claimed != byteCount {
            throw .wrongByteCount(found: claimed, expected: byteCount)
        }
        guard header.windowSize <= windowLimit else {
            throw .windowTooLarge(header.windowSize, limit: windowLimit)
        }
    }

    /// The window that a frame over `prefix` and `content` bytes may ask for: what reaches over both, and never less
    /// than the 8 MB that every zstd decoder grants (RFC 8878, section 3.1.1.1.2).
    static func windowLimit(prefix: Int, content: Int) -> UInt64 {
        max(8 << 20, 1 << UInt64(FrameCompressor.windowLog(prefix: prefix, content: content)))
    }
}
