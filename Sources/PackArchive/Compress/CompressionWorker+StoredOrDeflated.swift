/// Which contents are compressed, and which are stored as they are: decided by trying.
extension CompressionWorker {
    /// Compresses; valid until the next call, nil if the content does not shrink.
    mutating func deflate(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard probe.mayShrink(bytes) else { return nil }
        growOutput(to: bytes.count)
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
}
