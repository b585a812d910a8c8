/// The names that aligned tokens suggest: for each word of each object of the base, the word at its place now.
struct RenamingVotes {
    struct Image {
        let word: UInt32
        /// How often it stands for the old word.
        let count: Int
        /// How often the old word was aligned.
        let total: Int
        /// How often the old word is still the old word.
        let kept: Int
    }

    /// For each object of the base the winner for each of its names, by the numbers of the ``WordList``.
    private(set) var names: [[UInt32: Image]]
    /// For each long word that the target does not have the winner.
    private(set) var foreign: [UInt32: Image] = [:]
    /// For each object of the base the object of the target where most of its tokens are now, and how many.
    private(set) var homes: [(object: Int, count: Int)?]

    // A vote packed into one number: object, old word, new word.
    private static let wordBits: UInt64 = 24
    private static let everywhere: UInt64 = 0xFFFF

    /// Nil if there are more objects or words than can be counted this way; then nothing is renamed.
    init?(_ alignment: RenamingAlignment, _ base: TokenText, _ target: TokenText, _ words: WordList) {
        let objectCount = base.bounds.count - 1
        guard objectCount < Self.everywhere, words.words.count < 1 << Self.wordBits else { return nil }
        names = Array(repeating: [:], count: objectCount)
        homes = Array(repeating: nil, count: objectCount)

        var votes: [UInt64] = []
        var object = 0
        for (position, from) in alignment.source.enumerated() where from >= 0 {
            let (old, new) = (base.words[Int(from)], target.words[position])
            guard old > 0, new > 0 else { continue }
            while base.bounds[object] > from { object -= 1 }
            while base.bounds[object + 1] <= from { object += 1 }
            let place: UInt64
            switch (words[old], words[new]) {
            case (.name, .name): place = UInt64(object)
            case (.foreign, .foreign): place = Self.everywhere
            default: continue
            }
            votes.append((place << Self.wordBits | UInt64(old)) << Self.wordBits | UInt64(new))
        }
        votes.sort()
        count(votes)
        findHomes(alignment, base, target)
    }

    /// Whether any name of the object became another anywhere.
    func hasChanges(in object: Int) -> Bool { names[object].contains { $0.value.kept < $0.value.total } }

    private mutating func count(_ votes: [UInt64]) {
        var start = 0
        while start < votes.count {
            let group = votes[start] >> Self.wordBits
            let old = UInt32(group & (1 << Self.wordBits - 1))
            var best: (word: UInt32, count: Int) = (0, 0)
            var kept = 0
            var position = start
            while position < votes.count, votes[position] >> Self.wordBits == group {
                let first = position
                while position < votes.count, votes[position] == votes[first] { position += 1 }
                let new = UInt32(votes[first] & (1 << Self.wordBits - 1))
                if position - first > best.count { best = (new, position - first) }
                if new == old { kept = position - first }
            }
            let image = Image(word: best.word, count: best.count, total: position - start, kept: kept)
            let place = group >> Self.wordBits
            if place == Self.everywhere { foreign[old] = image } else { names[Int(place)][old] = image }
            start = position
        }
    }

    private mutating func findHomes(_ alignment: RenamingAlignment, _ base: TokenText, _ target: TokenText) {
        var counts = [[Int: Int]](repeating: [:], count: homes.count)
        var object = 0
        for home in 0..<target.bounds.count - 1 {
            for position in target.bounds[home]..<target.bounds[home + 1] {
                let from = alignment.source[position]
                guard from >= 0 else { continue }
                while base.bounds[object] > from { object -= 1 }
                while base.bounds[object + 1] <= from { object += 1 }
                counts[object][home, default: 0] += 1
            }
        }
        for (object, counts) in counts.enumerated() {
            let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
            homes[object] = best.map { ($0.key, $0.value) }
        }
    }
}
