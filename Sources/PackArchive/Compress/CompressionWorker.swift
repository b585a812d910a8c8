/// What one thread of a ``ContentCompressor`` has: the coder, and memory that is reused for every file.
struct CompressionWorker: ~Copyable {
    private static let pieceSize = 1 << 20

    /// A content that shrinks to less than one part of so many is compressed once more, with more time.
    static let repetitiveRatio = 6

    let deflater: Deflater
    let repetitiveDeflater: Deflater?
    let probe: CompressionProbe
    let isExhaustive: Bool
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(level: CompressionLevel) throws(SystemFault) {
        // All are made before any is kept: a half of this value could not be taken apart.
        let deflater = try Deflater(level.deflateLevel)
        var repetitive: Deflater?
        if let level = level.repetitiveDeflateLevel { repetitive = try Deflater(level) }
        let probe = try CompressionProbe()
        self.deflater = deflater
        repetitiveDeflater = repetitive
        self.probe = probe
        isExhaustive = level == .max
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }

    /// Gives memory back after a large file.
    mutating func releaseMemory() {
        Self.resize(&input, to: 0)
        Self.resize(&output, to: 0)
    }

    /// Reads a whole file; valid until the next call.
    mutating func read(_ file: OpenFile, size: Int) throws -> UnsafeRawBufferPointer {
        // One byte more than there should be, to notice that the file grows.
        Self.grow(&input, to: size + 1)
        let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: input[..<(size + 1)]), at: 0)
        guard count == size else { throw ZipFaultSignal(.sourceChanged) }
        return UnsafeRawBufferPointer(rebasing: input[..<count])
    }

    /// Reads a file piece by piece and says how long it is. The last piece may be empty.
    mutating func forEachPiece(
        of file: OpenFile, _ body: (_ piece: UnsafeRawBufferPointer, _ isLast: Bool) throws -> Void
    ) throws -> Int {
        Self.grow(&input, to: Self.pieceSize)
        let buffer = UnsafeMutableRawBufferPointer(rebasing: input[..<Self.pieceSize])
        var offset = 0
        while true {
            let count = try file.read(into: buffer, at: offset)
            offset += count
            let isLast = count < buffer.count
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]), isLast)
            if isLast { return offset }
        }
    }

    /// Room for what is compressed.
    mutating func growOutput(to count: Int) { Self.grow(&output, to: count) }

    private static func grow(_ buffer: inout UnsafeMutableRawBufferPointer, to count: Int) {
        if buffer.count < count { resize(&buffer, to: max(count, 64 << 10)) }
    }

    private static func resize(_ buffer: inout UnsafeMutableRawBufferPointer, to count: Int) {
        buffer.deallocate()
        buffer = count > 0 ? .allocate(byteCount: count, alignment: 16) : .init(start: nil, count: 0)
    }
}
