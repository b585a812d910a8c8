import Foundation

/// A text that stands for another one everywhere in the base: a hash in a file name, a build number, a version.
struct RenamingRule: Hashable {
    /// The longest old text, in bytes: each place where a rule might apply costs a comparison of it.
    static let maximumOldByteCount = 256

    let old: [UInt8]
    let new: [UInt8]
}

/// Applies rules in one pass over a text.
///
/// A rule applies where its old text stands between the borders of tokens; of several, the longest; what was put in is
/// not looked at again.
struct RuleTable {
    private let rules: [RenamingRule]
    /// From the first bytes of the old text's first token to the first of its rules, counted from 1.
    private var first = KeyTable()
    /// The next rule with the same first bytes, counted from 1; 0 after the last.
    private var next: [Int32]

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
            let key = rules[index].old.withUnsafeBytes { Self.key($0, 0, Self.firstTokenEnd($0)) }
            if let (previous, count) = last[key] {
                guard count < Self.maximumRulesPerToken else { continue }
                next[previous] = Int32(index + 1)
                last[key] = (index, count + 1)
            } else {
                _ = first.insert(key, Int32(index + 1))
                last[key] = (index, 1)
            }
        }
    }

    /// Gives `text` with all rules applied to `emit`, in pieces.
    func apply(to text: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        var copied = 0
        for match in matches(in: text) {
            try emit(UnsafeRawBufferPointer(rebasing: text[copied..<match.start]))
            try match.rule.new.withUnsafeBytes(emit)
            copied = match.start + match.rule.old.count
        }
        try emit(UnsafeRawBufferPointer(rebasing: text[copied...]))
    }

    /// Where which rule applies, in the order of the text.
    func matches(in text: UnsafeRawBufferPointer) -> [(start: Int, rule: RenamingRule)] {
        var matches: [(start: Int, rule: RenamingRule)] = []
        guard !isEmpty else { return matches }
        var end = 0
        Tokenizer.forEachToken(in: text) { start, tokenEnd, _, _ in
            guard start >= end, let rule = match(text, start, tokenEnd) else { return }
            matches.append((start, rules[rule]))
            end = start + rules[rule].old.count
        }
        return matches
    }

    @inline(__always)
    private func match(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int? {
        guard var index = first[Self.key(text, start, end)] else { return nil }
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
    private static func key(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt64 {
        var key: UInt64 = 0
        for index in start..<min(end, start + 8) { key = key << 8 | UInt64(text[index]) }
        return max(key, 1)
    }

    private static func firstTokenEnd(_ text: UnsafeRawBufferPointer) -> Int {
        var end = 1
        guard Tokenizer.isWord(text[0]) else { return end }
        while end < text.count, Tokenizer.isWord(text[end]) { end += 1 }
        return end
    }
}
