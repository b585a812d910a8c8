import PackFormat

/// The objects of one side as a list of tokens, for the alignment. Only the encoder uses it.
struct TokenText {
    /// What the token is for the comparison of the two sides: equal for all words that may have been renamed.
    private(set) var masked: [UInt32] = []
    /// The word in the ``WordList``, counted from 1, if it may have been renamed; else 0.
    private(set) var words: [UInt32] = []
    /// The first token of each object, and behind the last.
    private(set) var bounds: [Int] = []

    /// What a renamed word counts as.
    private enum Mask {
        static let name: UInt32 = 1
        static let number: UInt32 = 2
        static let foreign: UInt32 = 3
        /// All that hashes are above.
        static let end: UInt32 = 16
    }

    /// - Parameter separator: Different for the two sides, so that no alignment goes on into another object.
    init(_ side: SideText, words list: inout WordList, separator: UInt32) {
        masked.reserveCapacity(side.bytes.count / 2)
        words.reserveCapacity(side.bytes.count / 2)
        for object in side.objects {
            bounds.append(masked.count)
            if let text = side.text(object) { append(text, offset: object.lowerBound, side, &list) }
            masked.append(separator)
            words.append(0)
        }
        bounds.append(masked.count)
    }

    private mutating func append(
        _ text: UnsafeRawBufferPointer, offset: Int, _ side: SideText, _ list: inout WordList
    ) {
        Tokenizer.forEachToken(in: text) { start, end, isWord, isProperty in
            guard isWord else {
                masked.append(Mask.end + UInt32(text[start]))
                words.append(0)
                return
            }
            if !isProperty, let key = Tokenizer.candidate(text, start, end) {
                let index = list.name(key)
                if index > 0 {
                    masked.append(Tokenizer.isDigit(text[start]) ? Mask.number : Mask.name)
                    words.append(index)
                    return
                }
            }
            let hash = WordList.hash(text, start, end)
            if let index = list.foreign(hash, offset + start, end - start, side.isBase) {
                masked.append(Mask.foreign)
                words.append(index)
            } else {
                masked.append(max(UInt32(truncatingIfNeeded: hash >> 20), Mask.end + 256))
                words.append(0)
            }
        }
    }
}

/// All objects of one side, one after the other.
struct SideText {
    let bytes: UnsafeRawBufferPointer
    let objects: [Range<Int>]
    let isBase: Bool

    init(_ bytes: UnsafeRawBufferPointer, _ objects: [Object], isBase: Bool) {
        self.bytes = bytes
        self.isBase = isBase
        var start = 0
        self.objects = objects.map { object in
            defer { start += object.size }
            return start..<start + object.size
        }
    }

    /// The bytes of an object, unless they look like an image or another thing that is no text.
    func text(_ object: Range<Int>) -> UnsafeRawBufferPointer? {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[object])
        return bytes.prefix(4096).contains(0) ? nil : bytes
    }
}

/// All words of both sides that may have been renamed, numbered from small numbers.
struct WordList {
    enum Word {
        /// Short enough to be a name that a minifier has assigned.
        case name(NameKey)
        /// A longer word that only one side has: its range in that side's bytes.
        case foreign(Range<Int>)
    }

    /// The shortest word that is looked at as a whole: build numbers, hashes, renamed properties and classes.
    private static let minimumForeignCount = 5

    private(set) var words: [Word] = []
    private var names = KeyTable()
    private var foreign = KeyTable()
    /// Hashes of the long words of each side, and whether the other has them too.
    private let base: KeyTable
    private let target: KeyTable

    init(_ base: SideText, _ target: SideText) {
        self.base = Self.hashes(base)
        self.target = Self.hashes(target)
    }

    /// The word of a number that is counted from 1.
    subscript(index: UInt32) -> Word { words[Int(index) - 1] }

    /// The number of a name; 0 for a keyword.
    @inline(__always)
    mutating func name(_ key: NameKey) -> UInt32 {
        let fresh = Int32(words.count + 1)
        let index = names.insert(key.value, Tokenizer.isKeyword(key) ? 0 : fresh)
        if index == fresh { words.append(.name(key)) }
        return UInt32(bitPattern: index)
    }

    /// The number of a longer word if the other side does not have it.
    @inline(__always)
    mutating func foreign(_ hash: UInt64, _ start: Int, _ count: Int, _ isBase: Bool) -> UInt32? {
        guard count >= Self.minimumForeignCount, (isBase ? target : base)[hash] == nil else { return nil }
        let fresh = Int32(words.count + 1)
        let index = foreign.insert(hash, fresh)
        if index == fresh { words.append(.foreign(start..<start + count)) }
        return UInt32(bitPattern: index)
    }

    @inline(__always)
    static func hash(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in start..<end { hash = (hash ^ UInt64(text[index])) &* 0x0000_0100_0000_01B3 }
        hash ^= hash >> 29
        return max(hash &* 0x9E37_79B9_7F4A_7C15, 1)
    }

    private static func hashes(_ side: SideText) -> KeyTable {
        var table = KeyTable(minimumCapacity: side.bytes.count / 64)
        for object in side.objects {
            guard let text = side.text(object) else { continue }
            Tokenizer.forEachToken(in: text) { start, end, isWord, _ in
                if isWord, end - start >= minimumForeignCount { _ = table.insert(hash(text, start, end), 1) }
            }
        }
        return table
    }
}
