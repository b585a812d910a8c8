/// The words of one text that a minifier may have given out, and what tells the order in which it does.
struct Vocabulary {
    /// A text with more such words is not the output of a minifier, and is not renamed.
    static let maximumCount = 1 << 16

    /// In the order of their first occurrence.
    private(set) var names: [NameKey] = []
    /// Set when there are more than ``maximumCount``.
    private(set) var isTooLarge = false
    /// How often each character is such a word by itself.
    private var single = [Int](repeating: 0, count: 256)
    /// How often each character stands in any other word.
    private var other = [Int](repeating: 0, count: 256)

    init(_ text: UnsafeRawBufferPointer) {
        var seen = KeyTable(minimumCapacity: 1024)
        Tokenizer.forEachToken(in: text) { start, end, isWord, isProperty in
            guard isWord else { return }
            if !isProperty, let key = Tokenizer.candidate(text, start, end), !isTooLarge {
                let fresh = Int32(names.count)
                let index = seen.insert(key.value, Tokenizer.isKeyword(key) ? -1 : fresh)
                if index == fresh { append(key) }
                if index >= 0 {
                    if end - start == 1 { single[Int(text[start])] += 1 }
                    return
                }
            }
            for index in start..<end { other[Int(text[index])] += 1 }
        }
    }

    /// The alphabet that the text suggests; nil for ``AlphabetSource/previous`` and ``AlphabetSource/given``.
    func alphabet(_ source: AlphabetSource) -> Alphabet? {
        switch source {
        case .singleNames: Alphabet(byFrequency: single)
        case .otherWords: Alphabet(byFrequency: other)
        case .standard: .standard
        case .previous, .given: nil
        }
    }

    private mutating func append(_ key: NameKey) {
        if names.count < Self.maximumCount { names.append(key) } else { isTooLarge = true }
    }
}

/// Where the order of characters comes from, with which names are counted.
enum AlphabetSource: UInt8, CaseIterable {
    /// The frequency of names of one character: a minifier gives the first ones out most often.
    case singleNames = 2
    /// The frequency of characters in all other words, which is what esbuild and terser count.
    case otherWords = 3
    case standard = 4
    /// That of the object before.
    case previous = 5
    /// The map brings it.
    case given = 6
}
