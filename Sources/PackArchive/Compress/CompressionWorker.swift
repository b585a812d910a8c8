/// What one thread of a ``ContentCompressor`` has: the coder, and memory that is reused for every file.
struct CompressionWorker: ~Copyable {
    private static let pieceSize = 1 << 20

    private static let repetitiveRatio = 6

    private let deflater: Deflater
    private let repetitiveDeflater: Deflater?
    private let probe: CompressionProbe
    private let isExhaustive: Bool
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)

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

    /// Compresses; valid until the next call, nil if the content does not shrink.
    mutating func deflate(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard probe.mayShrink(bytes) else { return nil }
        Self.grow(&output, to: bytes.count)
        var first = deflater.deflate(bytes, into: output)
        if let count = first, count < bytes.count / Self.repetitiveRatio, let repetitive = deflateAsRepetitive(bytes) {
            first = repetitive
        }
        let better = isExhaustive ? ExhaustiveDeflater.deflate(bytes, into: output, below: first ?? bytes.count) : nil
        guard let count = better ?? first else { return nil }
        return UnsafeRawBufferPointer(rebasing: output[..<count])
    }

    /// Compresses anew, with more time, what deflate shrinks to a small part; nil where the level gives no second try.
    private func deflateAsRepetitive(_ bytes: UnsafeRawBufferPointer) -> Int? {
        switch repetitiveDeflater {
        case .some(let deflater): deflater.deflate(bytes, into: output)
        case .none: nil
        }
    }

    private static func grow(_ buffer: inout UnsafeMutableRawBufferPointer, to count: Int) {
        if buffer.count < count { resize(&buffer, to: max(count, 64 << 10)) }
    }

    private static func resize(_ buffer: inout UnsafeMutableRawBufferPointer, to count: Int) {
        buffer.deallocate()
        buffer = count > 0 ? .allocate(byteCount: count, alignment: 16) : .init(start: nil, count: 0)
    }
}
