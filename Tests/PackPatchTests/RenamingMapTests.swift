import Foundation
import PackFormat
import Testing

@testable import PackPatch

struct RenamingMapTests {
    private func key(_ text: String) throws -> NameKey { try #require(NameKey(Array(text.utf8))) }

    private func vocabulary(_ text: String) -> Vocabulary { Array(text.utf8).withUnsafeBytes { Vocabulary($0) } }

    private func noNames() throws -> NamePairs {
        let site = try Site(texts: ["a.js": "a"])
        return NamePairs(PatchPlan(from: site.manifest, to: site.manifest))
    }

    @Test func `all parts of a map survive the way to the device`() throws {
        let base = try Site(texts: ["a-CumK2M5X.js": "1", "a-CumK2M5Z.js": "2", "b-CumK2M5Z.js": "3"])
        let target = try Site(texts: ["a-DumK2M5X.js": "4", "a-DumK2M5Y.js": "5"])
        let names = NamePairs(PatchPlan(from: base.manifest, to: target.manifest))
        var map = RenamingMap()
        map.pairs = [(0, 1), (1, 0)]
        map.rules = [RenamingRule(old: Array("build17".utf8), new: Array("build18".utf8))]
        var ranked = IdentifierMap()
        ranked.alphabet = .given
        ranked.givenAlphabet = Alphabet(byFrequency: (0..<256).map { $0 })
        ranked.exceptions = [
            (0, .shifted(by: 1)), (200, .kept), (3, .moved(by: -7)), (1, .renamed(try key("ab$"))),
            (0, .shifted(by: -300)),
        ]
        ranked.listed = [(2, try key("fo$o1234")), (0, try key("77"))]
        var listed = IdentifierMap()
        listed.listed = [(0, try key("z"))]
        listed.locals = [
            LocalRenaming(gap: 3, length: 200, entries: [.init(run: 1, name: try key("q")), .init(run: 0, name: nil)]),
            LocalRenaming(gap: 0, length: 1, entries: []),
        ]
        map.identifiers = [1: ranked, 2: listed]

        let bytes = try RenamingMapCoder.encode(map)
        let read = try RenamingMapCoder.decode(bytes, names: names, lostCount: 3)
        #expect(read.pairs.map { [$0.gone, $0.added] } == [[0, 1], [1, 0]])
        #expect(read.rules == map.rules)
        #expect(read.identifiers == map.identifiers)
        #expect(bytes == (try RenamingMapCoder.encode(read)))
    }

    @Test func `a map that every device would refuse is not written`() throws {
        var map = RenamingMap()
        map.rules = (0..<5).map { RenamingRule(old: [0x61 + $0], new: [UInt8](repeating: 0x62, count: 1 << 20)) }
        #expect(throws: PatchError.invalidMap(reason: "it is too large")) { try RenamingMapCoder.encode(map) }
        map.rules.removeLast(2)
        #expect(throws: Never.self) {
            try RenamingMapCoder.decode(RenamingMapCoder.encode(map), names: try noNames(), lostCount: 1)
        }
    }

    @Test func `a map cut off or changed anywhere is refused or is another map`() throws {
        var map = RenamingMap()
        var ranked = IdentifierMap()
        ranked.alphabet = .standard
        ranked.exceptions = (0..<40).map { ($0, $0 % 2 == 0 ? .shifted(by: $0) : .kept) }
        map.identifiers = [0: ranked]
        let bytes = try RenamingMapCoder.encode(map)
        let names = try noNames()
        for count in 0..<bytes.count {
            #expect(throws: PatchError.self) {
                try RenamingMapCoder.decode(Array(bytes.prefix(count)), names: names, lostCount: 1)
            }
        }
        for position in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[position] ^= 1 << UInt8(bit)
                do { _ = try RenamingMapCoder.decode(damaged, names: names, lostCount: 1) } catch {}
            }
        }
    }

    @Test func `the shortest map gives what is wanted`() throws {
        // Without keywords, which are never renamed.
        let names = (0..<300).compactMap { Alphabet.standard.name(of: $0 + 54) }.filter { !Tokenizer.isKeyword($0) }
        let text = names.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ") + " fo$bar 1234"
        let vocabulary = vocabulary(text)
        var wanted: [NameKey: NameKey] = [:]
        for (index, name) in names.enumerated() {
            let rank = try #require(Alphabet.standard.rank(of: name))
            wanted[name] = index == 100 ? name : Alphabet.standard.name(of: rank + (index < 150 ? 1 : 3))
        }
        wanted[names[7]] = try key("long")
        wanted[try key("1234")] = try key("1235")
        let previous = Alphabet(byFrequency: (0..<256).map { $0 })
        let shortest = try #require(IdentifierMap.shortest(for: wanted, vocabulary, previous: previous))
        #expect(shortest.cost < 25)
        let images = try shortest.map.resolve(vocabulary, previous: previous).images
        let resolved = Dictionary(uniqueKeysWithValues: zip(vocabulary.names, images))
        for (old, new) in wanted { #expect((resolved[old] ?? old) == new) }
    }

    @Test func `a map that tells of more words than there are is refused`() throws {
        let vocabulary = vocabulary("a b c")
        for (alphabet, exceptions, listed) in [
            (AlphabetSource.standard, [(3, IdentifierMap.Exception.kept)], []),
            (.standard, [(0, .kept), (2, .kept)], []),
            (nil, [], [(3, try key("x"))]),
            (nil, [], [(0, try key("x")), (Int(UInt32.max), try key("y"))]),
            (.standard, [(Int(UInt32.max), .kept)], []),
        ] as [(AlphabetSource?, [(Int, IdentifierMap.Exception)], [(Int, NameKey)])] {
            var map = IdentifierMap()
            map.alphabet = alphabet
            map.exceptions = exceptions.map { ($0.0, $0.1) }
            map.listed = listed.map { ($0.0, $0.1) }
            #expect(throws: PatchError.self) { try map.resolve(vocabulary, previous: .standard) }
        }
    }

    @Test func `a stretch with more changes than names, or one that repeats nothing, is refused`() throws {
        var text = Array("a b c".utf8)
        let name = try key("x")
        for entries in [[.init(run: 3, name: name)], [.init(run: 0, name: nil)]] as [[LocalRenaming.Entry]] {
            var map = RenamingMap()
            var identifiers = IdentifierMap()
            identifiers.locals = [LocalRenaming(gap: 0, length: 100, entries: entries)]
            map.identifiers = [0: identifiers]
            var renamer = try Renamer(map, try noNames(), byteCount: 100)
            #expect(throws: PatchError.self) {
                try text.withUnsafeMutableBytes { try renamer.rename(next: $0) { _ in } }
            }
        }
    }

    @Test func `a text with too many words is not renamed`() throws {
        let text = (0..<70_000).compactMap { Alphabet.standard.name(of: $0) }
            .map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ")
        let vocabulary = vocabulary(text)
        #expect(vocabulary.isTooLarge)
        #expect(throws: PatchError.self) { try IdentifierMap().resolve(vocabulary, previous: .standard) }
    }
}

/// Maps that no encoder makes, in front of a sound frame.
struct HostileMapTests {
    let base: Site
    let plan: PatchPlan
    let frame: [UInt8]

    init() throws {
        base = try Site(texts: ["a.js": String(repeating: "a b c d ", count: 5_000)])
        let target = try Site(texts: ["a.js": String(repeating: "a b c d ", count: 5_000) + "end"])
        plan = PatchPlan(from: base.manifest, to: target.manifest)
        let file = temporaryFile()
        try PatchEncoder(usesRenaming: false).encode(plan, to: file, object: objects(of: base, target))
        frame = Array(try Data(contentsOf: file))
    }

    private func apply(_ bytes: [UInt8]) throws {
        let file = temporaryFile("hostile")
        // A decoder refuses what is longer than any patch of this plan; that is not what is tested here.
        #expect(bytes.count <= PatchDecoder(plan).maximumPatchByteCount)
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var sink = CollectingSink()
        try PatchDecoder(plan).apply(file, to: &sink) { base.object($0) }
    }

    @Test func `an empty map changes nothing`() throws {
        try apply(RenamingFrame.bytes(around: RenamingMapCoder.encode(RenamingMap())) + frame)
    }

    @Test func `a map that makes the base explode is refused`() throws {
        var map = RenamingMap()
        map.rules = [RenamingRule(old: [UInt8(ascii: "a")], new: [UInt8](repeating: 65, count: 1_000))]
        let explosion = PatchError.invalidMap(reason: "it makes the base larger than is allowed")
        #expect(throws: explosion) { try apply(RenamingFrame.bytes(around: RenamingMapCoder.encode(map)) + frame) }

        map.rules = []
        var listed = IdentifierMap()
        let long = try #require(NameKey(Array("abcdefg$".utf8)))
        listed.listed = [(0, long), (0, long), (0, long), (0, long)]
        map.identifiers = [0: listed]
        #expect(throws: explosion) { try apply(RenamingFrame.bytes(around: RenamingMapCoder.encode(map)) + frame) }
    }

    /// 64 rules of 64 kB, which differ in their last bytes, against a text that is their common beginning, cost a
    /// comparison of all of them at each word: hours for a patch that nobody signed.
    @Test func `a rule for a text of more than 256 bytes is refused`() throws {
        var map = RenamingMap()
        for (count, isRefused) in [(256, false), (257, true)] {
            map.rules = [RenamingRule(old: [UInt8](repeating: UInt8(ascii: "z"), count: count), new: [65])]
            let bytes = RenamingFrame.bytes(around: try RenamingMapCoder.encode(map)) + frame
            if isRefused {
                #expect(throws: PatchError.invalidMap(reason: "it is damaged")) { try apply(bytes) }
            } else {
                #expect(throws: Never.self) { try apply(bytes) }
            }
        }
    }

    @Test func `a map that claims four gigabytes or is cut off is refused`() throws {
        #expect(throws: PatchError.invalidMap(reason: "it is too large")) {
            try apply([0x57, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0xFF] + frame)
        }
        let map = RenamingFrame.bytes(around: try RenamingMapCoder.encode(RenamingMap()))
        for count in 1..<map.count {
            #expect(throws: PatchError.truncated) { try apply(Array(map.prefix(count))) }
        }
        #expect(throws: PatchError.truncated) { try apply(map) }
        #expect(throws: PatchError.self) { try apply(map + map + frame) }
    }

    @Test func `a map that unpacks to more than 4 MB is refused`() throws {
        var bomb = FrameBytes(windowLog: 20)
        for _ in 0..<64 { bomb.repeatBlock(0, count: 128 << 10, isLast: false) }
        #expect(throws: PatchError.self) {
            try apply(RenamingFrame.bytes(around: [1, 1] + bomb.bytes.dropFirst(4)) + frame)
        }
    }

    @Test func `a map of another version, compression, object or path is refused`() throws {
        for map in [[], [1], [2, 0, 0], [1, 2, 0], [1, 0, 10], [1, 0, 3, 0, 0, 1, 1], [1, 0, 1, 0, 0]] as [[UInt8]] {
            #expect(throws: PatchError.self, "\(map)") { try apply(RenamingFrame.bytes(around: map) + frame) }
        }
    }
}
