import Foundation
import PackFormat
import Testing

@testable import PackPatch

struct PatchTests {
    @Test func `a plan lists lost and new own objects once, in path order`() throws {
        let base = try Site(texts: ["z.js": "old z", "a.js": "old a", "b.js": "old a", "kept.js": "kept"])
        let target = try Site(
            ["z.js": Array("new z".utf8), "c.js": Array("new z".utf8), "kept.js": Array("kept".utf8), "v.js": [1]],
            from: ["v.js": "common"])
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        #expect(plan.lost.map(\.digest) == [Digest(of: Array("old a".utf8)), Digest(of: Array("old z".utf8))])
        #expect(plan.new.map(\.digest) == [Digest(of: Array("new z".utf8))])
        #expect(plan.lostByteCount == 10)
        #expect(plan.newByteCount == 5)
        #expect(PatchPlan(from: base.manifest, to: base.manifest).isEmpty)
        #expect(PatchPlan(from: nil, to: base.manifest).new.count == 3)
    }

    @Test func `a patch gives the new objects in order, and a full download gives all`() throws {
        var random = RandomBytes(seed: 1)
        let media = random.bytes(300_000)
        let base = try Site(["app.js": media + Array("one".utf8), "x.css": Array("x".utf8)])
        let target = try Site([
            "app.js": media + Array("two".utf8), "empty.txt": [], "x.css": Array("x".utf8), "zero.bin": [],
        ])
        for from in [base, nil] {
            let plan = PatchPlan(from: from?.manifest, to: target.manifest)
            let patch = temporaryFile()
            let size = try PatchEncoder().encode(plan, to: patch, object: objects(of: target, base))
            #expect(size == (try Data(contentsOf: patch).count))
            #expect(from == nil ? size > 300_000 : size < 200)
            var sink = CollectingSink()
            try PatchDecoder(plan).apply(patch, to: &sink) { base.object($0) }
            #expect(sink.order == plan.new)
            for object in plan.new { #expect(Digest(of: sink.objects[object.digest] ?? [1]) == object.digest) }
        }
    }

    @Test func `a plan without new bytes has a patch too`() throws {
        let base = try Site(texts: ["a.js": "a"])
        let target = try Site(texts: ["a.js": "", "b.js": ""])
        for plan in [
            PatchPlan(from: base.manifest, to: target.manifest), PatchPlan(from: target.manifest, to: target.manifest),
        ] {
            let patch = temporaryFile()
            try PatchEncoder().encode(plan, to: patch, object: objects(of: base, target))
            var sink = CollectingSink()
            try PatchDecoder(plan).apply(patch, to: &sink) { base.object($0) }
            #expect(sink.order == plan.new)
        }
    }

    @Test func `the same two versions give the same bytes`() throws {
        let base = try Site(texts: ["a.js": String(repeating: "let a=1;", count: 9_000)])
        let target = try Site(texts: ["a.js": String(repeating: "let a=1;", count: 9_001) + "b()"])
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        let patches = try (0..<2).map { _ in
            let patch = temporaryFile()
            try PatchEncoder().encode(plan, to: patch, object: objects(of: base, target))
            return try Data(contentsOf: patch)
        }
        #expect(patches[0] == patches[1])
    }

    @Test func `an encoder refuses an object that is not what its digest says`() throws {
        let base = try Site(texts: ["a.js": "first"])
        let target = try Site(texts: ["a.js": "other"])
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        #expect(throws: PatchError.damagedBase(plan.new[0].digest)) {
            try PatchEncoder().encode(plan, to: temporaryFile()) { _ in base.object(plan.lost[0].digest) }
        }
    }

    @Test func `a manifest travels as a frame against the old one`() throws {
        let files = (0..<300).map { ("assets/chunk-\($0).js", "chunk \($0)") }
        let old = try Site(texts: Dictionary(uniqueKeysWithValues: files)).manifest.bytes
        let changed = files.map { $0.0.contains("-7.") ? ($0.0, "other") : $0 }
        let new = try Site(texts: Dictionary(uniqueKeysWithValues: changed)).manifest.bytes
        let patch = try ManifestPatch.encode(base: old, target: new)
        #expect(patch.count < 100)
        #expect(patch == (try ManifestPatch.encode(base: old, target: new)))
        let digest = Digest(of: new)
        #expect(try ManifestPatch.apply(patch, base: old, expecting: digest, maximumByteCount: new.count) == new)

        #expect(throws: PatchError.wrongByteCount(found: UInt64(new.count), expected: new.count - 1)) {
            try ManifestPatch.apply(patch, base: old, expecting: digest, maximumByteCount: new.count - 1)
        }
        let reversed = Array(old.reversed())
        #expect(throws: PatchError.wrongDigest(expected: digest)) {
            try ManifestPatch.apply(patch, base: reversed, expecting: digest, maximumByteCount: 1 << 20)
        }
        #expect(throws: PatchError.wrongDigest(expected: Digest(of: old))) {
            try ManifestPatch.apply(patch, base: old, expecting: Digest(of: old), maximumByteCount: 1 << 20)
        }
        #expect(throws: PatchError.truncated) {
            try ManifestPatch.apply(patch.dropLast(), base: old, expecting: digest, maximumByteCount: 1 << 20)
        }
        #expect(throws: PatchError.trailingData) {
            try ManifestPatch.apply(patch + [0], base: old, expecting: digest, maximumByteCount: 1 << 20)
        }
        #expect(throws: PatchError.truncated) {
            try ManifestPatch.apply([], base: old, expecting: digest, maximumByteCount: 1 << 20)
        }
    }

    @Test func `a manifest can be empty on either side`() throws {
        for (old, new) in [([UInt8](), [UInt8](repeating: 7, count: 100)), ([1, 2, 3], [])] {
            let patch = try ManifestPatch.encode(base: old, target: new)
            let digest = Digest(of: new)
            #expect(try ManifestPatch.apply(patch, base: old, expecting: digest, maximumByteCount: 100) == new)
        }
    }
}
