import CDeflate
import CZopfli

/// The smallest deflate of a small content, for `--compression max`: zopfli's parse in blocks that we choose.
///
/// libdeflate makes few blocks, and small files lose by that as much as 7z gains. zopfli finds the best blocks, but
/// finding them takes fifteen times as long as filling them. The split here costs almost nothing.
enum ExhaustiveDeflater {
    /// Larger contents gain too little for the time: there libdeflate's blocks are good enough.
    static let maximumSize = 256 << 10
    private static let iterations: Int32 = 1

    /// Compresses into `output` and says how many bytes it took; nil unless that is less than `limit`, and then the
    /// output is as it was.
    static func deflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, below limit: Int
    ) -> Int? {
        guard input.count <= maximumSize, let bytes = input.bindMemory(to: UInt8.self).baseAddress else { return nil }
        var options = ZopfliOptions()
        ZopfliInitOptions(&options)
        options.numiterations = iterations
        options.blocksplitting = 0
        var bit: UInt8 = 0
        var packed: UnsafeMutablePointer<UInt8>?
        var count = 0
        defer { free(packed) }
        var start = 0
        for end in blockEnds(bytes, count: input.count, options: &options) {
            ZopfliDeflatePart(&options, 2, end == input.count ? 1 : 0, bytes, start, end, &bit, &packed, &count)
            start = end
        }
        guard let packed, count < limit, count <= output.count, isSound(packed, count, input) else { return nil }
        output.copyMemory(from: UnsafeRawBufferPointer(start: packed, count: count))
        return count
    }

    /// The offsets at which blocks end, in order; the last is the end of the content.
    private static func blockEnds(
        _ bytes: UnsafePointer<UInt8>, count: Int, options: inout ZopfliOptions
    ) -> [Int] {
        var store = ZopfliLZ77Store()
        ZopfliInitLZ77Store(bytes, &store)
        defer { ZopfliCleanLZ77Store(&store) }
        var state = ZopfliBlockState()
        ZopfliInitBlockState(&options, 0, count, 0, &state)
        var hash = ZopfliHash()
        ZopfliAllocHash(1 << 15, &hash)
        ZopfliLZ77Greedy(&state, bytes, 0, count, &store, &hash)
        ZopfliCleanHash(&hash)
        ZopfliCleanBlockState(&state)
        let split = BlockSplit(
            literals: UnsafeBufferPointer(start: store.ll_symbol, count: store.size),
            distances: UnsafeBufferPointer(start: store.d_symbol, count: store.size),
            matches: UnsafeBufferPointer(start: store.dists, count: store.size))
        return split.starts.dropFirst().map { store.pos[$0] } + [count]
    }

    /// Unpacks it again: a wrong byte here would be signed and sent to every device.
    private static func isSound(_ packed: UnsafePointer<UInt8>, _ count: Int, _ input: UnsafeRawBufferPointer) -> Bool {
        guard let decompressor = libdeflate_alloc_decompressor() else { return false }
        defer { libdeflate_free_decompressor(decompressor) }
        let again = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count + 1, alignment: 16)
        defer { again.deallocate() }
        var size = 0
        let status = libdeflate_deflate_decompress(decompressor, packed, count, again.baseAddress, again.count, &size)
        return status == LIBDEFLATE_SUCCESS && size == input.count && again[..<size].elementsEqual(input)
    }
}
