/// Recognises content that deflate cannot shrink, such as most images, fonts and videos, from samples of it.
///
/// The path's extension is not enough: a badly encoded PNG may shrink to a third.
struct CompressionProbe: ~Copyable {
    /// Contents up to this are compressed without a look at samples. In bytes.
    private static let smallSize = 64 << 10
    private static let sampleSize = 16 << 10
    private static let sampleCount = 4

    private let deflater: Deflater
    private let output: UnsafeMutableRawBufferPointer
    /// Whether any sample that ``look(at:)`` took did shrink.
    private(set) var findsSomething = false

    init() throws(SystemFault) {
        deflater = try Deflater(1)
        output = .allocate(byteCount: Self.sampleSize, alignment: 16)
    }

    deinit { output.deallocate() }

    /// Whether it is worth the time to compress a whole content: it is small, or one of four samples shrinks, of which
    /// the first is its start, where the text of a media file is, and the last its end.
    func mayShrink(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > Self.smallSize else { return true }
        let step = (bytes.count - Self.sampleSize) / (Self.sampleCount - 1)
        return (0..<Self.sampleCount).contains { shrinks(bytes, at: $0 * step) }
    }

    /// Samples the start of one piece of a content that is read piece by piece.
    mutating func look(at piece: UnsafeRawBufferPointer) {
        if !findsSomething, piece.count >= Self.sampleSize { findsSomething = shrinks(piece, at: 0) }
    }

    private func shrinks(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        let sample = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Self.sampleSize)])
        return deflater.deflate(sample, into: output) != nil
    }
}
