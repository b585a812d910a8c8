import Foundation
import PackFormat
import Testing

@testable import PackPatch

struct RenamingTests {
    private func encode(_ plan: PatchPlan, _ base: Site, _ target: Site, usesRenaming: Bool = true) throws -> Data {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        try PatchEncoder(usesRenaming: usesRenaming).encode(plan, to: file, object: objects(of: base, target))
        return try Data(contentsOf: file)
    }

    private func apply(_ patch: Data, _ plan: PatchPlan, _ base: Site) throws -> [Object] {
        let file = temporaryFile()
        try patch.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var sink = CollectingSink()
        try PatchDecoder(plan).apply(file, to: &sink) { base.object($0) }
        return sink.order
    }

    @Test func `names that all moved on by one cost next to nothing`() throws {
        let base = try MinifiedSite(build: 1, firstName: 60).site
        let target = try MinifiedSite(build: 2, firstName: 61).site
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        let plain = try encode(plan, base, target, usesRenaming: false)
        let renamed = try encode(plan, base, target)
        #expect(renamed.prefix(4) == Data([0x57, 0x2A, 0x4D, 0x18]))
        #expect(renamed.count * 20 < plain.count)
        #expect(try apply(renamed, plan, base) == plan.new)
        #expect(try apply(plain, plan, base) == plan.new)
        #expect(renamed == (try encode(plan, base, target)))
    }

    @Test func `renamed chunks are told by the names in the two manifests`() throws {
        let base = try MinifiedSite(build: 1, firstName: 60, functions: 20).site
        let target = try MinifiedSite(build: 2, firstName: 60, functions: 20).site
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        let plain = try encode(plan, base, target, usesRenaming: false)
        let renamed = try encode(plan, base, target)
        #expect(plain.count > 100)
        #expect(renamed.count < 50)
        #expect(try apply(renamed, plan, base) == plan.new)
    }

    @Test func `without anything to rename the patch has no map`() throws {
        let base = try Site(texts: ["a.js": "first version of a text"])
        let target = try Site(texts: ["a.js": "second version of a text"])
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        #expect(try encode(plan, base, target) == encode(plan, base, target, usesRenaming: false))
    }

    @Test func `zstd refuses a patch with a map instead of writing something wrong`() throws {
        let base = try MinifiedSite(build: 1, firstName: 60).site
        let target = try MinifiedSite(build: 2, firstName: 61).site
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        let folder = temporaryFile("zstd")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try encode(plan, base, target).write(to: folder.appendingPathComponent("patch.zst"))
        try base.concatenation(of: plan.lost).write(to: folder.appendingPathComponent("old"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["zstd", "-q", "-d", "--patch-from=old", "patch.zst", "-o", "new"]
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
    }
}

struct LocalRenamingTests {
    /// A function whose first parameter is called `name`.
    private func function(_ name: String, _ index: Int) -> String {
        let calls = (0..<9).map { "\(name).field\(index)=t(\(name),\($0));" }.joined()
        return "function work\(index)(\(name)){\(calls)}"
    }

    @Test func `a name that changed in one function only is renamed there only`() throws {
        let base = try Site(texts: ["a.js": (0..<30).map { function("e", $0) }.joined()])
        let target = try Site(texts: ["a.js": (0..<30).map { function($0 % 10 == 3 ? "r" : "e", $0) }.joined()])
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        let lost = Array(try base.concatenation(of: plan.lost))
        let new = Array(try target.concatenation(of: plan.new))
        let names = NamePairs(plan)
        let map = try lost.withUnsafeBytes { lost in
            try new.withUnsafeBytes { try RenamingPlanner(plan, names, lost: lost, new: $0).map() }
        }
        let locals = try #require(map?.identifiers[0]?.locals)
        #expect(locals.count == 3)
        #expect(locals.map(\.entries.count) == [1, 1, 1])
        #expect(locals[0].entries[0].name == NameKey(Array("r".utf8)))
        #expect(locals[1].entries[0].name == nil)

        var renamer = try Renamer(try #require(map), names, byteCount: lost.count)
        var renamed: [UInt8] = []
        var text = lost
        try text.withUnsafeMutableBytes { try renamer.rename(next: $0) { renamed.append(contentsOf: $0) } }
        #expect(renamed == new)
    }
}

struct RenamingRuleTests {
    private func apply(_ rules: [(String, String)], to text: String) -> String {
        let table = RuleTable(rules.map { RenamingRule(old: Array($0.0.utf8), new: Array($0.1.utf8)) })
        var output: [UInt8] = []
        Array(text.utf8).withUnsafeBytes { table.apply(to: $0) { output.append(contentsOf: $0) } }
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a rule applies between the borders of tokens only`() {
        let rules = [("abc123", "X"), ("-b.1", "Y")]
        #expect(apply(rules, to: "abc123 zabc123 abc1234 (abc123)") == "X zabc123 abc1234 (X)")
        #expect(apply(rules, to: "a-b.1,a-b.12,-b.1") == "aY,a-b.12,Y")
        #expect(apply([], to: "abc") == "abc")
        #expect(apply(rules, to: "") == "")
    }

    @Test func `the longest rule wins and its result is not looked at again`() {
        let rules = [("one", "two"), ("one-two", "three"), ("two", "one"), ("one", "never")]
        #expect(apply(rules, to: "one one-two two one-two3") == "two three one two-two3")
    }

    @Test func `no word is compared with more than 64 rules`() {
        let rules = (0..<100).map { ("word-" + String(repeating: "x", count: $0 + 1), "\($0)") }
        #expect(apply(rules, to: "word-\(String(repeating: "x", count: 100))") == "99")
        #expect(apply(rules, to: "word-x") == "word-x")
    }
}

struct HashedNameTests {
    @Test(arguments: [
        ("assets/index-CumK2M5X.js", "CumK2M5X"), ("a/index-Cu-K2_5X.css", "Cu-K2_5X"), ("app.BwKjZ2x1.js", "BwKjZ2x1"),
        ("static/js/main.2dfa88bd.js", "2dfa88bd"), ("3.1f0c9a2b7d.chunk.js", "1f0c9a2b7d"),
        ("7c52277f1d67093d2167.worker.js", "7c52277f1d67093d2167"), ("chunk-MGPVJVZT.css", "MGPVJVZT"),
    ])
    func `the hash in a name is found`(path: String, hash: String) throws {
        #expect(try HashedName(PackagePath(path))?.hash == Array(hash.utf8))
    }

    @Test(arguments: ["index.html", "page-products.js", "my-Settings.js", "2dfa88bd/main.js", "CumK2M5X.js", "a-b"])
    func `a name without hash has none`(path: String) throws {
        #expect(try HashedName(PackagePath(path)) == nil)
    }

    @Test func `a name that is there once on each side makes an evident pair, others do not`() throws {
        let base = try Site(texts: ["a-CumK2M5X.js": "1", "b-CumK2M5Y.js": "2", "b-CumK2M5Z.js": "3"])
        let target = try Site(texts: ["a-DumK2M5X.js": "4", "b-DumK2M5Y.js": "5", "c-DumK2M5Y.js": "6"])
        let names = NamePairs(PatchPlan(from: base.manifest, to: target.manifest))
        #expect(names.evident.map { [$0.gone, $0.added] } == [[0, 0]])
        #expect(names.rules(with: [(2, 1)]).map(\.new) == [Array("DumK2M5X".utf8), Array("DumK2M5Y".utf8)])
    }
}

struct AlphabetTests {
    @Test func `names follow each other as minifiers hand them out`() {
        func name(_ rank: Int) -> String? {
            Alphabet.standard.name(of: rank).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        #expect([0, 1, 53, 54, 55, 107, 108].map(name) == ["e", "t", "$", "ee", "te", "$e", "et"])
        #expect(name(54 + 54 * 64) == "eee")
        #expect(name(-1) == nil)
    }

    @Test func `a rank and its name belong together`() {
        var counts = [Int](repeating: 0, count: 256)
        for (index, byte) in "zyx_10".utf8.enumerated() { counts[Int(byte)] = 100 - index }
        for alphabet in [Alphabet.standard, Alphabet(byFrequency: counts)] {
            for rank in stride(from: 0, to: 14_000_000, by: 997) {
                let name = alphabet.name(of: rank)
                #expect(name.flatMap { alphabet.rank(of: $0) } == rank)
            }
        }
    }

    @Test func `digits, long names and wrong alphabets have no rank`() {
        #expect(NameKey(Array("123".utf8)).flatMap { Alphabet.standard.rank(of: $0) } == nil)
        #expect(NameKey(Array("abcd$".utf8)).flatMap { Alphabet.standard.rank(of: $0) } == nil)
        #expect(Alphabet(Array(repeating: UInt8(ascii: "a"), count: 64)) == nil)
        #expect(Alphabet(Alphabet.standard.characters.dropLast()) == nil)
    }
}

struct TokenizerTests {
    private func candidates(_ text: String) -> [String] {
        var result: [String] = []
        Array(text.utf8).withUnsafeBytes { bytes in
            Tokenizer.forEachToken(in: bytes) { start, end, isWord, isProperty in
                guard isWord, !isProperty, let key = Tokenizer.candidate(bytes, start, end), !Tokenizer.isKeyword(key)
                else { return }
                result.append(String(decoding: key.bytes, as: UTF8.self))
            }
        }
        return result
    }

    @Test func `names, module ids and names with a dollar may have been renamed`() {
        #expect(candidates("let ab=t(1234)+fo$o1+$;") == ["ab", "t", "1234", "fo$o1", "$"])
        #expect(candidates("longer 12 1234567 12ab longer$12 if") == [])
        #expect(candidates("") == [])
    }

    @Test func `what stands behind a single dot is a property`() {
        #expect(candidates("a.b.c ...d ?.e") == ["a", "d"])
    }

    @Test func `bytes above ASCII are tokens of their own`() {
        #expect(candidates("ä é a") == ["a"])
    }
}
