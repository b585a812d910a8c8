import AttackSupport
import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// Damages skeletons, and the patches beside them, at random. Each decision of a skeleton can be taken otherwise: the seeds hold everything
/// that a skeleton can say.
struct SkeletonFuzzTests {
    private struct Seed {
        let base: Site
        let target: Site
        let skeleton: [UInt8]
        let patch: [UInt8]
        let wanted: Set<Digest>
        let hostile: HostileSkeleton

        init(from base: Site, to target: Site) throws {
            (self.base, self.target) = (base, target)
            skeleton = try #require(try SkeletonTests.encode(from: base, to: target))
            patch = try SkeletonTests.patch(from: base, to: target)
            wanted = Set(PatchPlan(from: base.manifest, to: target.manifest).new.map(\.digest))
            hostile = try HostileSkeleton(base: base.manifest)
        }

        /// What the skeleton says.
        func changes() throws -> ManifestChanges {
            var reader = SkeletonCoder(BinaryDecoder(skeleton[...]))
            return try ManifestChanges.code(
                nil, base: base.manifest, head: ManifestHead(parsing: base.manifest.bytes),
                manifestByteCount: target.manifest.bytes.count, &reader)
        }
    }

    /// A rebuild in which all names are new, as most are.
    private static func rebuild() throws -> Seed {
        try Seed(
            from: MinifiedSite(build: 1, firstName: 60, functions: 20).site,
            to: MinifiedSite(build: 2, firstName: 61, functions: 20).site)
    }

    /// Everything that can happen to a file, at once.
    private static func everything() throws -> Seed {
        func bytes(_ texts: [String: String]) -> [String: [UInt8]] { texts.mapValues { Array($0.utf8) } }
        let base = try Site(
            bytes([
                "index.html": "one", "kept.js": "kept", "moved.js": "moved", "gone/gone.css": "gone",
                "assets/a-1234567a.js": "the first program", "b-ABCDEFG2.js": "second", "lib.js": "library",
            ]), from: ["lib.js": "common"])
        let names = (0..<6).map { "part\($0 * 37)-Zy9_aB3\($0).js" }
        let pages = ["page-qW3_rT01.js", "view-qW3_rT02.js"]
        var texts = [
            "index.html": "two, longer", "kept.js": "kept", "new/moved.js": "moved", "lib.js": "library, new",
            "assets/a-89abcdef.js": "the first program, " + (names + pages).map { "import\"./\($0)\"" }.joined(),
            "b-ABCDEFG3.js": "second", "twice/1.txt": "twice", "twice/2.txt": "twice", "empty.txt": "",
            "shared.js": "of another bundle",
        ]
        for (index, name) in names.enumerated() { texts["assets/\(name)"] = "part \(index)" }
        for (index, name) in pages.enumerated() { texts["pages/\(name)"] = "page \(index)" }
        return try Seed(from: base, to: Site(bytes(texts), from: ["lib.js": "common", "shared.js": "other"]))
    }

    @Test func `the seeds hold everything that a skeleton can say`() throws {
        let seed = try Self.everything()
        let changes = try seed.changes()
        #expect(changes.head != (try ManifestHead(parsing: seed.base.manifest.bytes).bytes))
        func isThere(_ wanted: (ManifestChanges.Fate) -> Bool) -> Bool { changes.fates.contains(where: wanted) }
        #expect(isThere { if case .kept = $0 { true } else { false } })
        #expect(isThere { if case .changed(.new) = $0 { true } else { false } })
        #expect(isThere { if case .changed(.shared) = $0 { true } else { false } })
        #expect(isThere { if case .renamed(_, .new) = $0 { true } else { false } })
        #expect(isThere { if case .renamed(_, .old) = $0 { true } else { false } })
        #expect(isThere { if case .removed = $0 { true } else { false } })
        #expect(changes.added.contains { if case .repeated = $0.content { true } else { false } })
        #expect(changes.added.contains { $0.found != nil })
        #expect(changes.unnamed?.files.count == 6)
    }

    @Test func `no damage to a skeleton costs more than its limits, or gives the right manifest with other objects`()
        throws
    {
        var run = FuzzRun(seconds: 2)
        let seeds = try [Self.rebuild(), Self.everything()]
        var (refused, decoded, other) = (0, 0, 0)
        while run.goesOn() {
            let seed = seeds[run.count % seeds.count]
            // Other bytes mostly end otherwise than an encoder ends; other decisions do not, and reach what is behind.
            let skeleton =
                try run.count % 3 == 0
                ? run.damage(seed.skeleton, with: seed.patch) : seed.hostile.bent(seed.skeleton, &run.random)
            let patch = run.count % 5 == 0 ? run.damage(seed.patch, with: seed.skeleton) : seed.patch
            do {
                let read = try SkeletonTests.skeleton(
                    skeleton, base: seed.base.manifest, manifestByteCount: seed.target.manifest.bytes.count)
                decoded += 1
                #expect(read.plan.newByteCount <= seed.hostile.largestByteCount)
                var sink = NamingSink(names: read.names)
                if !read.plan.isEmpty {
                    try PatchDecoder(read, scratch: FileManager.default.temporaryDirectory)
                        .apply(patch[...], to: &sink) { seed.base.object($0) }
                }
                if read.manifestBytes(new: sink.order, names: sink.names) == seed.target.manifest.bytes {
                    #expect(Set(sink.objects.keys) == seed.wanted)
                } else {
                    other += 1
                }
            } catch is PatchError {
                refused += 1
            }
        }
        print(
            "fuzzed \(run.count) skeletons: \(decoded) told how to decode the content, \(refused) refused, then or before, \(other) "
                + "of another manifest, \(run.ending)")
        #expect(refused > 0 && decoded > 0)
    }
}
