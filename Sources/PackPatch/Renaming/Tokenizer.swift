/// Splits text into words (runs of `A-Z a-z 0-9 _ $`) and single other bytes. It does not parse any language.
///
/// Both ends must see exactly the same tokens, so the definition of a token is part of the format
/// (docs/PATCH-FORMAT.md).
enum Tokenizer {
    static let dot = UInt8(ascii: ".")
    static let dollar = UInt8(ascii: "$")

    static func isWord(_ byte: UInt8) -> Bool { wordTable[Int(byte)] }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    /// Calls `body` with the bounds of each token, and whether it is a word that stands behind a single dot: a
    /// property, which a minifier does not rename. (After two dots, as in `...rest`, it does.)
    @inline(__always)
    static func forEachToken(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ start: Int, _ end: Int, _ isWord: Bool, _ isProperty: Bool) throws -> Void
    ) rethrows {
        try wordTable.withUnsafeBufferPointer { isWord in
            var position = 0
            var dots = 0
            while position < bytes.count {
                let start = position
                let byte = bytes[start]
                position += 1
                guard isWord[Int(byte)] else {
                    try body(start, position, false, false)
                    dots = byte == dot ? dots + 1 : 0
                    continue
                }
                while position < bytes.count, isWord[Int(bytes[position])] { position += 1 }
                try body(start, position, true, dots == 1)
                dots = 0
            }
        }
    }

    /// Calls `body` with the bounds of each word in `range`, which begins and ends between tokens, until it returns
    /// false.
    @inline(__always)
    static func forEachWord(
        in text: UnsafeRawBufferPointer, _ range: Range<Int>, _ body: (_ start: Int, _ end: Int) throws -> Bool
    ) rethrows {
        var position = range.lowerBound
        var start = 0
        var isInside: UInt64 = 0
        while position < range.upperBound {
            let bits = WordMask.bits(text, position, range.upperBound)
            // A bit where words begin and behind their ends.
            var edges = bits ^ (bits << 1 | isInside)
            while edges != 0 {
                let edge = position + edges.trailingZeroBitCount
                edges &= edges - 1
                if isInside == 0 {
                    start = edge
                    isInside = 1
                } else {
                    isInside = 0
                    guard try body(start, edge) else { return }
                }
            }
            position += WordMask.byteCount
        }
        if isInside != 0 { _ = try body(start, range.upperBound) }
    }

    /// Calls `body` for each token in a range (see ``forEachWord(in:_:_:)``) with which at least `least` (1 to 8) bytes
    /// begin that belong to words or are `other`, a byte that does not; with the token's bytes, 8 for more. Other tokens
    /// cost nothing.
    @inline(__always)
    static func forEachRun(
        in text: UnsafeRawBufferPointer, _ range: Range<Int>, atLeast least: Int, with other: UInt8?,
        _ body: (_ start: Int, _ count: Int) -> Void
    ) {
        var position = range.lowerBound
        var isInside: UInt64 = 0
        var (words, others) = runBits(text, position, other)
        while position < range.upperBound {
            let (nextWords, nextOthers) = runBits(text, position + WordMask.byteCount, other)
            // A bit where at least so many bytes follow each other from there on.
            var (runs, length) = (words | others, 1)
            var later = nextWords | nextOthers
            while length < least {
                let step = min(length, least - length)
                runs &= runs &>> UInt64(step) | later &<< UInt64(64 - step)
                later &= later &>> UInt64(step)
                length += step
            }
            var starts = runs & (words & ~(words << 1 | isInside) | others)
            while starts != 0 {
                let place = UInt64(starts.trailingZeroBitCount)
                starts &= starts - 1
                let start = position + Int(place)
                guard start < range.upperBound else { return }
                // Shifted twice, because not at all is shifted by 64 then.
                let word = words &>> place | (nextWords &<< (63 - place)) << 1
                body(start, max(min((~word).trailingZeroBitCount, 8), 1))
            }
            isInside = words >> 63
            (words, others) = (nextWords, nextOthers)
            position += WordMask.byteCount
        }
    }

    @inline(__always)
    private static func runBits(
        _ text: UnsafeRawBufferPointer, _ start: Int, _ other: UInt8?
    ) -> (words: UInt64, others: UInt64) {
        (
            WordMask.bits(text, start, text.count),
            other.map { WordMask.bits(of: $0, text, start, text.count) } ?? 0
        )
    }

    /// The candidates for renaming among the words of a range (see ``forEachWord(in:_:_:)``), keywords included.
    @inline(__always)
    static func forEachCandidate(
        in text: UnsafeRawBufferPointer, _ range: Range<Int>,
        _ body: (_ start: Int, _ end: Int, _ key: NameKey) throws -> Bool
    ) rethrows {
        try forEachWord(in: text, range) { start, end in
            guard let key = candidate(text, start, end), !isProperty(text, start) else { return true }
            return try body(start, end, key)
        }
    }

    /// Whether a word stands behind a single dot: a property, which a minifier does not rename. (After two dots, as in
    /// `...rest`, it does.)
    @inline(__always)
    static func isProperty(_ text: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        start > 0 && text[start - 1] == dot && !(start > 1 && text[start - 2] == dot)
    }

    /// The key of a word that a minifier may have given out: a name of at most 4 bytes, or of at most 8 with a `$`, or
    /// a number of 3 to 6 digits (the id of a module); nil for every other word. Keywords are told by ``isKeyword(_:)``.
    @inline(__always)
    static func candidate(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> NameKey? {
        let count = end - start
        guard count <= NameKey.maximumByteCount else { return nil }
        let value = number(bytes, start, count)
        if isDigit(UInt8(truncatingIfNeeded: value)) {
            return count >= 3 && count <= 6 && isDecimal(value) ? NameKey(value: value) : nil
        }
        return count <= 4 || hasDollar(value) ? NameKey(value: value) : nil
    }

    /// 1 to 8 bytes as a number, the first the lowest.
    @inline(__always)
    static func number(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> UInt64 {
        if start + 8 <= bytes.count {
            let eight = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            return UInt64(littleEndian: eight) & UInt64.max &>> UInt64(64 - 8 * count)
        }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[start + index]) << UInt64(8 * index) }
        return value
    }

    private static func isDecimal(_ value: UInt64) -> Bool {
        var rest = value
        while rest != 0 {
            guard isDigit(UInt8(truncatingIfNeeded: rest)) else { return false }
            rest >>= 8
        }
        return true
    }

    /// Of bytes that are all below 128.
    @inline(__always)
    private static func hasDollar(_ value: UInt64) -> Bool {
        (0x8080_8080_8080_8080 &- (value ^ 0x2424_2424_2424_2424)) & 0x8080_8080_8080_8080 != 0
    }

    /// Words that are never names, and words that are more often something else than a name.
    static func isKeyword(_ key: NameKey) -> Bool { keywords[key.value] != nil }

    private static let wordTable: [Bool] = (0..<256).map { value in
        let byte = UInt8(value)
        return isDigit(byte) || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_") || byte == dollar
    }

    static let keywordKeys = [
        "var", "let", "if", "else", "for", "do", "case", "new", "in", "of", "void", "this", "null", "true", "from",
        "try", "get", "set", "as", "is", "on", "to", "id", "px",
    ].compactMap { NameKey($0.utf8)?.value }

    private static let keywords = {
        var table = KeyTable(minimumCapacity: 64)
        for key in keywordKeys { _ = table.insert(key, 1) }
        return table
    }()
}

/// A word of 1 to 8 bytes as one number; its first byte is the lowest.
struct NameKey: Hashable {
    static let maximumByteCount = 8

    let value: UInt64

    init(value: UInt64) { self.value = value }

    /// Nil for more than 8 bytes, for none, and for a NUL.
    init?(_ bytes: some Collection<UInt8>) {
        guard (1...Self.maximumByteCount).contains(bytes.count), !bytes.contains(0) else { return nil }
        value = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    var count: Int { (UInt64.bitWidth - value.leadingZeroBitCount + 7) / 8 }

    var bytes: [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) } }

    func append(to output: inout [UInt8]) {
        var rest = value
        while rest != 0 {
            output.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    var first: UInt8 { UInt8(truncatingIfNeeded: value) }
}
