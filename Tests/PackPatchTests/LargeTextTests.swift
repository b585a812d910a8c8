import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// What is found many bytes at a time, and in pieces on all cores, is what a look at one byte after the other finds.
struct LargeTextTests {
    private func noNames() throws -> NamePairs {
        let site = try Site(texts: ["a.js": "a"])
        return NamePairs(PatchPlan(from: site.manifest, to: site.manifest))
    }

    private func renamed(_ text: String, by map: RenamingMap) throws -> [UInt8] {
        var bytes = Array(text.utf8)
        var renamer = try Renamer(map, noNames(), byteCount: bytes.count)
        var output: [UInt8] = []
        try bytes.withUnsafeMutableBytes { try renamer.rename(next: $0) { output.append(contentsOf: $0) } }
        return output
    }

    private func pieces(_ text: String) -> [Range<Int>] {
        Array(text.utf8).withUnsafeBytes { TextPieces($0).ranges }
    }

    @Test func `candidates found 64 bytes at a time are those found one by one`() {
        var random = RandomBytes(seed: 7)
        let characters = Array("aZ09_$...@[`{/:~".utf8) + [0, 0x7F, 0x80, 0xA4, 0xDF, 0xFF]
        for count in 0..<400 {
            let text = (0..<count).map { _ in characters.randomElement(using: &random) ?? 0 }
            text.withUnsafeBytes { text in
                var expected: [[Int]] = []
                Tokenizer.forEachToken(in: text) { start, end, isWord, isProperty in
                    if isWord, !isProperty, Tokenizer.candidate(text, start, end) != nil {
                        expected.append([start, end])
                    }
                }
                var found: [[Int]] = []
                Tokenizer.forEachCandidate(in: text, 0..<text.count) { start, end, _ in
                    found.append([start, end])
                    return true
                }
                #expect(found == expected)
            }
        }
    }

    @Test func `rules find the same in a text as at each of its tokens`() {
        var random = RandomBytes(seed: 8)
        let olds = ["ab-cd", "ab-ce.f", "-ab", "cd", "abcdefghij", "-"].map { Array($0.utf8) }
        let characters = Array("abcdef-.-".utf8)
        for variant in 0..<300 {
            let used = variant % 3 == 0 ? olds : variant % 3 == 1 ? [olds[0], olds[4]] : [olds[4]]
            let table = RuleTable(used.map { RenamingRule(old: $0, new: [UInt8(ascii: "#")]) })
            let text = (0..<variant).flatMap { _ in
                Int.random(in: 0..<4, using: &random) == 0
                    ? olds.randomElement(using: &random) ?? [] : [characters.randomElement(using: &random) ?? 0]
            }
            text.withUnsafeBytes { text in
                var expected: [[Int]] = []
                Tokenizer.forEachToken(in: text) { start, _, _, _ in
                    guard start >= expected.last?[1] ?? 0 else { return }
                    let ends = used.map { start + $0.count }.enumerated().filter { rule, end in
                        end <= text.count && text[start..<end].elementsEqual(used[rule])
                            && (end == text.count || !Tokenizer.isWord(text[end]) || !Tokenizer.isWord(text[end - 1]))
                    }
                    if let end = ends.map(\.element).max() { expected.append([start, end]) }
                }
                var found: [[Int]] = []
                table.forEachMatch(in: text) { found.append([$0.start, $0.end]) }
                #expect(found == expected)
            }
        }
    }

    @Test func `a match over the border of two pieces takes away what begins behind the border`() throws {
        let border = TextPieces.pieceByteCount
        for new in ["UV-WXYZA", "longer than before"] {
            var map = RenamingMap()
            map.rules = [("abc-defg", new), ("defg", "NO"), ("defg-h", "NO")].map {
                RenamingRule(old: Array($0.0.utf8), new: Array($0.1.utf8))
            }
            // The piece ends behind the dash.
            let start = String(repeating: ";", count: border - 4) + "abc-"
            let rest = "defg-h;" + String(repeating: "x,", count: border)
            let text = start + rest + start + rest
            let expected = text.replacing("abc-defg", with: new)
            #expect(pieces(text)[0].upperBound == border)
            #expect(try Digest(of: renamed(text, by: map)) == Digest(of: Array(expected.utf8)))
        }
    }

    @Test func `names and stretches go on over the borders of pieces`() throws {
        let repeats = 2 * TextPieces.pieceByteCount / 6 + 1000
        let text = String(repeating: "aa=bb;", count: repeats)
        #expect(pieces(text).count == 3)
        var identifiers = IdentifierMap()
        identifiers.listed = [(0, NameKey(value: UInt64(UInt8(ascii: "z"))))]
        // From `bb` in the first piece to `aa` in the last one, and one more behind it.
        let length = 2 * repeats - 201
        identifiers.locals = [
            LocalRenaming(
                gap: 101, length: length - 101,
                entries: [.init(run: 0, name: NameKey(value: UInt64(UInt8(ascii: "q"))))]),
            LocalRenaming(gap: 1, length: 2, entries: [.init(run: 1, name: nil)]),
        ]
        var map = RenamingMap()
        map.identifiers = [0: identifiers]
        let expected = (0..<repeats).map { index in
            let isInside = { (occurrence: Int) in
                (101..<length).contains(occurrence) || (length + 1..<length + 3).contains(occurrence)
            }
            return "z=" + (isInside(2 * index + 1) ? "q;" : "bb;")
        }.joined()
        #expect(try Digest(of: renamed(text, by: map)) == Digest(of: Array(expected.utf8)))
    }

    @Test func `the vocabulary of a text in pieces is that of the text`() {
        let names = (0..<3000).compactMap { Alphabet.standard.name(of: $0) }.filter { !Tokenizer.isKeyword($0) }
        let words = names.map { String(decoding: $0.bytes, as: UTF8.self) }
        let text = Array(
            (0..<600_000).map { words[$0 % 7 == 0 ? $0 % words.count : $0 * $0 % 50] }.joined(separator: "+").utf8)
        let vocabulary = text.withUnsafeBytes { Vocabulary($0) }
        var seen: Set<NameKey> = []
        var expected: [NameKey] = []
        var single = [Int](repeating: 0, count: 256)
        for word in text.split(separator: UInt8(ascii: "+")) {
            if let key = NameKey(word), seen.insert(key).inserted { expected.append(key) }
            if word.count == 1 { single[Int(word[word.startIndex])] += 1 }
        }
        #expect(text.count > 2 * TextPieces.pieceByteCount)
        #expect(vocabulary.names.elementsEqual(expected))
        #expect(vocabulary.alphabet(.singleNames) == Alphabet(byFrequency: single))
    }

    @Test func `a frame with a window smaller than its content is read piece by piece`() throws {
        var random = RandomBytes(seed: 9)
        let content = random.bytes(50_000)
        let base = try Site(texts: ["a.js": "old"])
        let target = try Site(["a.js": Array(content.prefix(20_000)), "b.js": Array(content.dropFirst(20_000))])
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        var frame = FrameBytes(windowLog: 10)
        for start in stride(from: 0, to: content.count, by: 1000) {
            frame.rawBlock(Array(content[start..<start + 1000]), isLast: start + 1000 == content.count)
        }
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(frame.bytes).write(to: file)
        var sink = CollectingSink()
        try PatchDecoder(plan).apply(file, to: &sink) { base.object($0) }
        #expect(sink.order == plan.new)
        frame.bytes[frame.bytes.count / 2] ^= 1
        try Data(frame.bytes).write(to: file)
        var other = CollectingSink()
        #expect(throws: PatchError.wrongObject(plan.new[1].digest)) {
            try PatchDecoder(plan).apply(file, to: &other) { base.object($0) }
        }
        #expect(other.order == [plan.new[0]])
    }
}
