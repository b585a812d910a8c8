/// Text as renaming sees it: runs of `A-Z a-z 0-9 _ $`, and single other bytes. No language is parsed.
///
/// Both ends must see exactly the same tokens, so what counts as what is part of the format (docs/PATCH-FORMAT.md).
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
        try scan(bytes, from: 0) { start, end, isWord, isProperty in
            try body(start, end, isWord, isProperty)
            return true
        }
    }

    /// As ``forEachToken(in:_:)``, from a token that is no property until `body` returns false.
    @inline(__always)
    static func scan(
        _ bytes: UnsafeRawBufferPointer, from first: Int,
        _ body: (_ start: Int, _ end: Int, _ isWord: Bool, _ isProperty: Bool) throws -> Bool
    ) rethrows {
        try wordTable.withUnsafeBufferPointer { isWord in
            var position = first
            var dots = 0
            while position < bytes.count {
                let start = position
                let byte = bytes[start]
                position += 1
                guard isWord[Int(byte)] else {
                    guard try body(start, position, false, false) else { return }
                    dots = byte == dot ? dots + 1 : 0
                    continue
                }
                while position < bytes.count, isWord[Int(bytes[position])] { position += 1 }
                guard try body(start, position, true, dots == 1) else { return }
                dots = 0
            }
        }
    }

    /// The key of a word that a minifier may have given out: a name of at most 4 bytes, or of at most 8 with a `$`, or
    /// a number of 3 to 6 digits (the id of a module); nil for every other word. Keywords are told by ``isKeyword(_:)``.
    @inline(__always)
    static func candidate(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> NameKey? {
        let count = end - start
        guard count <= NameKey.maximumByteCount else { return nil }
        var value: UInt64 = 0
        var hasDollar = false
        var digits = 0
        for index in start..<end {
            let byte = bytes[index]
            value |= UInt64(byte) << UInt64(8 * (index - start))
            if byte == dollar { hasDollar = true }
            if isDigit(byte) { digits += 1 }
        }
        if isDigit(bytes[start]) {
            return digits == count && count >= 3 && count <= 6 ? NameKey(value: value) : nil
        }
        return count <= 4 || hasDollar ? NameKey(value: value) : nil
    }

    /// Words that are never names, and words that are more often something else than a name.
    static func isKeyword(_ key: NameKey) -> Bool { keywords[key.value] != nil }

    private static let wordTable: [Bool] = (0..<256).map { value in
        let byte = UInt8(value)
        return isDigit(byte) || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_") || byte == dollar
    }

    private static let keywords = {
        let words = [
            "var", "let", "if", "else", "for", "do", "case", "new", "in", "of", "void", "this", "null", "true", "from",
            "try", "get", "set", "as", "is", "on", "to", "id", "px",
        ]
        var table = KeyTable(minimumCapacity: 64)
        for key in words.compactMap({ NameKey($0.utf8) }) { _ = table.insert(key.value, 1) }
        return table
    }()
}

/// A word of 1 to 8 bytes as one number, its first byte the lowest.
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
