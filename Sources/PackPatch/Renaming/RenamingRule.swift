#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text that replaces another one everywhere in the base: a hash in a file name, a build number, a version.
struct RenamingRule: Hashable {
    /// The longest old text, in bytes: each place where a rule might apply costs a comparison of it.
    static let maximumOldByteCount = 256

    let old: [UInt8]
    let new: [UInt8]
}

/// Applies rules in one pass over a text.
///
/// A rule applies if its old text occurs between the borders of tokens; of several rules, the longest applies. The
/// inserted text is not searched again.
struct RuleTable {
    private let rules: [RenamingRule]
    /// From the first bytes of the old text's first token to the first of its rules, counted from 1.
    private var first = KeyTable()
    /// The next rule with the same first bytes, counted from 1; 0 after the last.
    private var next: [Int32]
    /// The bytes that are looked at first: so many as all old texts have, at most 8.
    private var shortest = 8
    /// Which bytes outside of words are among them.
    private var outside: Set<UInt8> = []
    /// A bit for the hash of the first bytes of each rule: most tokens are told by it to begin no rule.
    private var filter = [UInt64](repeating: 0, count: 64)

    var isEmpty: Bool { rules.isEmpty }

    /// Of the rules whose old texts begin with the same token, only the longest count, so that no map can make each
    /// word of a text try thousands.
    static let maximumRulesPerToken = 64

    /// Of two rules for one text the earlier is kept.
    init(_ all: [RenamingRule]) {
        var seen: Set<[UInt8]> = []
        let unique = all.filter { !$0.old.isEmpty && $0.old != $0.new && seen.insert($0.old).inserted }
        rules = unique.sorted { left, right in
            left.old.count == right.old.count
                ? left.old.lexicographicallyPrecedes(right.old) : left.old.count > right.old.count
        }
        next = [Int32](repeating: 0, count: rules.count)
        // Each chain goes from its longest rule to its shortest.
        var last: [UInt64: (index: Int, count: Int)] = [:]
        for index in rules.indices {
            let old = rules[index].old
            let key = old.withUnsafeBytes { Self.key($0, 0, min(Self.firstTokenEnd($0), 8)) }
            if let (previous, count) = last[key] {
                guard count < Self.maximumRulesPerToken else { continue }
                next[previous] = Int32(index + 1)
                last[key] = (index, count + 1)
            } else {
                _ = first.insert(key, Int32(index + 1))
                last[key] = (index, 1)
            }
        }
        shortest = rules.reduce(8) { min($0, $1.old.count) }
        for rule in rules {
            outside.formUnion(rule.old.prefix(shortest).filter { !Tokenizer.isWord($0) })
            let place = Self.place(rule.old.withUnsafeBytes { Tokenizer.number($0, 0, shortest) })
            filter[place >> 6] |= 1 << UInt64(place & 63)
        }
    }

    subscript(match: RuleMatch) -> RenamingRule { rules[match.rule] }

    /// Gives `text` with all rules applied to `emit`, in pieces.
    func apply(to text: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        var copied = 0
        try forEachMatch(in: text) { match in
            try emit(UnsafeRawBufferPointer(rebasing: text[copied..<match.start]))
            try self[match].new.withUnsafeBytes(emit)
            copied = match.end
        }
        try emit(UnsafeRawBufferPointer(rebasing: text[copied...]))
    }

    /// Where which rule applies, in the order of the text.
    ///
    /// Only what stands before the end of a match may be changed in `body`. The text is searched by all cores, a few
    /// pieces at a time, so that a rule for every other byte does not fill the memory with matches.
    func forEachMatch(in text: UnsafeRawBufferPointer, _ body: (RuleMatch) throws -> Void) rethrows {
        guard !isEmpty else { return }
        var end = 0
        for pieces in TextPieces(text).groups(of: Self.piecesAtATime) {
            let found = pieces.map { matches(in: text, $0) }
            for (range, matches) in zip(pieces.ranges, found) {
                // A match that goes on into this piece takes away what was found there: again, from its end.
                let isCovered = end > range.lowerBound
                let matches =
                    isCovered ? self.matches(in: text, min(end, range.upperBound)..<range.upperBound) : matches
                for match in matches { try body(match) }
                end = max(end, matches.last?.end ?? 0)
            }
        }
    }

    private static let piecesAtATime = 4

    /// The matches that begin in `range`, which begins and ends between tokens.
    private func matches(in text: UnsafeRawBufferPointer, _ range: Range<Int>) -> [RuleMatch] {
        var matches: [RuleMatch] = []
        func isPossible(_ start: Int) -> Bool {
            guard start + shortest <= text.count else { return false }
            let place = Self.place(Tokenizer.number(text, start, shortest))
            return filter[place >> 6] &>> UInt64(place & 63) & 1 != 0
        }
        if outside.count <= 1 {
            Tokenizer.forEachRun(in: text, range, atLeast: shortest, with: outside.first) { start, count in
                if isPossible(start) { look(text, start, count, range, &matches) }
            }
            return matches
        }
        // The end of the last token, behind which the next begins.
        var next = range.lowerBound
        func lookOutside(until end: Int) {
            for start in next..<end where isPossible(start) { look(text, start, 1, range, &matches) }
        }
        Tokenizer.forEachWord(in: text, range) { start, end in
            lookOutside(until: start)
            if isPossible(start) { look(text, start, min(end - start, 8), range, &matches) }
            next = end
            return true
        }
        lookOutside(until: range.upperBound)
        return matches
    }

    /// - Parameter count: The bytes of the token, 8 for more.
    private func look(
        _ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int, _ range: Range<Int>, _ matches: inout [RuleMatch]
    ) {
        guard start >= matches.last?.end ?? range.lowerBound, let rule = match(text, start, count) else { return }
        matches.append(RuleMatch(start: start, end: start + rules[rule].old.count, rule: rule))
    }

    /// The bit of ``filter`` for a token's first bytes.
    @inline(__always)
    private static func place(_ key: UInt64) -> Int { Int((key &* 0x9E37_79B9_7F4A_7C15) >> 52) }

    private func match(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int? {
        guard var index = first[Self.key(text, start, count)] else { return nil }
        while index > 0 {
            let rule = Int(index) - 1
            let old = rules[rule].old
            let stop = start + old.count
            if stop <= text.count, isBorder(text, stop),
                old.withUnsafeBytes({ $0.elementsEqual(text[start..<stop]) })
            {
                return rule
            }
            index = next[rule]
        }
        return nil
    }

    private func isBorder(_ text: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        position == text.count || !Tokenizer.isWord(text[position]) || !Tokenizer.isWord(text[position - 1])
    }

    /// The first 8 bytes of a token; never 0, because 1 is added to a NUL.
    @inline(__always)
    private static func key(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> UInt64 {
        max(Tokenizer.number(text, start, count), 1)
    }

    private static func firstTokenEnd(_ text: UnsafeRawBufferPointer) -> Int {
        var end = 1
        guard Tokenizer.isWord(text[0]) else { return end }
        while end < text.count, Tokenizer.isWord(text[end]) { end += 1 }
        return end
    }
}

/// A place where a rule applies.
struct RuleMatch {
    let start: Int
    let end: Int
    /// Its place in the table.
    fileprivate let rule: Int
}
