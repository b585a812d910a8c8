/// A text that is split at the ends of tokens, so that all cores can work on it.
struct TextPieces {
    /// Large enough that the time of handing out work does not count.
    static let pieceByteCount = 512 << 10

    /// One behind the other, all of the text; none is empty.
    let ranges: [Range<Int>]

    init(_ text: UnsafeRawBufferPointer) {
        var ranges: [Range<Int>] = []
        var start = 0
        while start < text.count {
            var end = min(start + Self.pieceByteCount, text.count)
            // Behind a byte that is no word: no token goes on there.
            while end < text.count, Tokenizer.isWord(text[end - 1]) { end += 1 }
            ranges.append(start..<end)
            start = end
        }
        self.ranges = ranges
    }

    private init(_ ranges: some Sequence<Range<Int>>) { self.ranges = Array(ranges) }

    /// The same pieces, so many together.
    func groups(of count: Int) -> [TextPieces] {
        stride(from: 0, to: ranges.count, by: count).map { TextPieces(ranges[$0...].prefix(count)) }
    }

    /// What `body` makes of each piece, on all cores.
    func map<Result>(_ body: (Range<Int>) -> Result) -> [Result] {
        Cores.map(ranges.count) { body(ranges[$0]) }
    }
}
