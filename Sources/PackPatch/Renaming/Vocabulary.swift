/// The words of one text that a minifier may have assigned, and the data that shows the order in which it did.
struct Vocabulary {
    /// A text with more such words is not the output of a minifier, and is not renamed.
    static let maximumCount = 1 << 16

    /// In the order of their first occurrence; not all if ``isTooLarge``.
    let names: [NameKey]
    /// Set when there are more than ``maximumCount``.
    var isTooLarge: Bool { names.count > Self.maximumCount }
    /// Where the occurrences are.
    let places: NamePlaces
    /// For each name, how often it occurs.
    private let counts: [Int32]
    /// How often each character stands in the text; empty if that was not asked for.
    private var characters: [Int] = []

    /// - Parameter countsCharacters: For the alphabet of ``AlphabetSource/otherWords``.
    init(_ text: UnsafeRawBufferPointer, countsCharacters: Bool = true) {
        let pieces = TextPieces(text)
        let found = pieces.map { VocabularyPiece(text, $0, countsCharacters: countsCharacters) }
        if countsCharacters { characters = [Int](repeating: 0, count: 256) }
        for piece in found {
            for (byte, count) in piece.characters.enumerated() { characters[byte] += count }
        }
        if found.count == 1 {
            (names, counts) = (found[0].names, found[0].counts)
            places = NamePlaces(pieces, found, nil)
            return
        }
        var table = NameTable(minimumCapacity: min(text.count / 32, 4096))
        var places: [[UInt16]] = []
        // Of a text that is not renamed nothing more is of interest.
        for piece in found where table.names.count <= Self.maximumCount {
            places.append(
                zip(piece.names, piece.counts).map { UInt16(truncatingIfNeeded: table.count($0, times: $1)) })
        }
        names = table.names
        counts = table.counts
        self.places = NamePlaces(pieces, found, table.names.count > Self.maximumCount ? nil : places)
    }

    /// The alphabet that the text suggests; nil for ``AlphabetSource/previous`` and ``AlphabetSource/given``.
    func alphabet(_ source: AlphabetSource) -> Alphabet? {
        switch source {
        case .singleNames: Alphabet(byFrequency: singleNames)
        case .otherWords: Alphabet(byFrequency: otherWords)
        case .standard: .standard
        case .previous, .given: nil
        }
    }

    /// How often each character is a name by itself.
    private var singleNames: [Int] {
        var counts = [Int](repeating: 0, count: 256)
        for (name, count) in zip(names, self.counts) where name.count == 1 { counts[Int(name.first)] = Int(count) }
        return counts
    }

    /// How often each character stands in any other word: all that is not in a name. (What stands outside of words is
    /// none of the characters of an alphabet.)
    private var otherWords: [Int] {
        var counts = characters
        guard !counts.isEmpty else { return [Int](repeating: 0, count: 256) }
        for (name, count) in zip(names, self.counts) {
            for byte in name.bytes { counts[Int(byte)] -= Int(count) }
        }
        return counts
    }
}

/// The places of names in a text, as the stretches of a map count them: keywords do not count.
struct NamePlaces {
    /// The pieces of the text, and the number of the first occurrence in each; behind the last the number of all.
    let pieces: TextPieces
    let firsts: [Int]
    /// The occurrences in each piece.
    let occurrences: [NameOccurrences]

    /// - Parameter places: For each piece, where its names are in the vocabulary; nil if they are so already.
    init(_ pieces: TextPieces, _ found: [VocabularyPiece], _ places: [[UInt16]]?) {
        self.pieces = pieces
        firsts = found.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.occurrences.count) }
        occurrences = found.map(\.occurrences)
        guard let places else { return }
        _ = Cores.map(found.count) { found[$0].occurrences.renumber(places[$0]) }
    }
}

/// The occurrences of names in one piece of a text.
final class NameOccurrences {
    private(set) var count = 0
    /// For each, where in the text it begins.
    let positions: UnsafeMutablePointer<UInt32>
    /// For each, where the name is in the vocabulary.
    let names: UnsafeMutablePointer<UInt16>

    /// - Parameter pieceByteCount: Between two words there is at least one byte.
    init(pieceByteCount: Int) {
        let capacity = pieceByteCount / 2 + 1
        positions = .allocate(capacity: capacity)
        names = .allocate(capacity: capacity)
    }

    deinit {
        positions.deallocate()
        names.deallocate()
    }

    fileprivate func end(at count: Int) { self.count = count }

    fileprivate func renumber(_ places: [UInt16]) {
        let names = names
        for index in 0..<count { names[index] = places[Int(names[index])] }
    }
}

/// The vocabulary of one piece of a text.
struct VocabularyPiece {
    let names: [NameKey]
    /// For each name, how often it occurs.
    let counts: [Int32]
    let occurrences: NameOccurrences
    /// For each byte, how often it stands in the piece; empty if that was not asked for.
    let characters: [Int]

    init(_ text: UnsafeRawBufferPointer, _ range: Range<Int>, countsCharacters: Bool) {
        var table = NameTable(minimumCapacity: min(range.count / 64, 1024))
        occurrences = NameOccurrences(pieceByteCount: range.count)
        let (positions, places) = (occurrences.positions, occurrences.names)
        var count = 0
        Tokenizer.forEachCandidate(in: text, range) { start, _, key in
            let index = table.count(key)
            // For a keyword the next one overwrites it.
            (positions + count).initialize(to: UInt32(truncatingIfNeeded: start))
            (places + count).initialize(to: UInt16(truncatingIfNeeded: index))
            count += index >= 0 ? 1 : 0
            return true
        }
        occurrences.end(at: count)
        names = table.names
        counts = table.counts
        characters = countsCharacters ? Self.histogram(text, range) : []
    }

    private static func histogram(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> [Int] {
        // Four tables: one alone would wait for itself where a byte repeats.
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4 * 256) { tables in
            tables.initialize(repeating: 0)
            var index = range.lowerBound
            while index + 4 <= range.upperBound {
                let four = text.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                tables[Int(four & 0xFF)] &+= 1
                tables[256 + Int(four >> 8 & 0xFF)] &+= 1
                tables[512 + Int(four >> 16 & 0xFF)] &+= 1
                tables[768 + Int(four >> 24)] &+= 1
                index += 4
            }
            while index < range.upperBound {
                tables[Int(text[index])] &+= 1
                index += 1
            }
            return (0..<256).map { byte in stride(from: byte, to: 1024, by: 256).reduce(0) { $0 + Int(tables[$1]) } }
        }
    }
}

/// The source of the order of characters by which names are counted.
enum AlphabetSource: UInt8, CaseIterable {
    /// The frequency of names of one character: a minifier assigns the first ones most often.
    case singleNames = 2
    /// The frequency of characters in all other words, which is what esbuild and terser count.
    case otherWords = 3
    case standard = 4
    /// The alphabet of the previous object.
    case previous = 5
    /// The map contains the alphabet.
    case given = 6
}
