import AttackSupport
import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// A manifest that travels without what follows from the content.
struct SkeletonTests {
    /// What a device does with a skeleton and a patch: decodes, and puts the manifest together. Only its digest tells
    /// whether that is right.
    private struct Outcome {
        let manifest: [UInt8]
        let objects: [Digest: [UInt8]]
    }

    static func skeleton(
        _ bytes: [UInt8], base: Manifest, manifestByteCount: Int
    ) throws(PatchError) -> ManifestSkeleton {
        try ManifestSkeleton(
            bytes[...], base: base, baseBytes: base.bytes,
            limits: .init(manifestByteCount: manifestByteCount, base: base))
    }

    static func encode(from base: Site, to target: Site) throws -> [UInt8]? {
        try ManifestSkeleton.encode(
            base: base.manifest.bytes, target: target.manifest.bytes, object: objects(of: base, target))
    }

    static func patch(from base: Site, to target: Site) throws -> [UInt8] {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        try PatchEncoder().encode(
            PatchPlan(from: base.manifest, to: target.manifest), to: file, object: objects(of: base, target))
        return Array(try Data(contentsOf: file))
    }

    private static func apply(
        _ skeleton: [UInt8], _ patch: [UInt8], base: Site, target: Site
    ) throws -> Outcome {
        let skeleton = try Self.skeleton(
            skeleton, base: base.manifest, manifestByteCount: target.manifest.bytes.count)
        var sink = NamingSink(names: skeleton.names)
        if !skeleton.plan.isEmpty {
            try PatchDecoder(skeleton, scratch: FileManager.default.temporaryDirectory)
                .apply(patch[...], to: &sink) { base.object($0) }
        }
        return Outcome(manifest: skeleton.manifestBytes(new: sink.order, names: sink.names), objects: sink.objects)
    }

    private static func expectTransfer(from base: Site, to target: Site) throws -> Int {
        let bytes = try #require(
            try Self.encode(from: base, to: target))
        let plan = PatchPlan(from: base.manifest, to: target.manifest)
        let outcome = try apply(
            bytes, plan.isEmpty ? [] : patch(from: base, to: target), base: base, target: target)
        #expect(outcome.manifest == target.manifest.bytes)
        #expect(Set(outcome.objects.keys) == Set(plan.new.map(\.digest)))
        for (digest, bytes) in outcome.objects { #expect(Digest(of: bytes) == digest) }
        return bytes.count
    }

    @Test func `a rebuild with new hashes in its names costs their characters and little else`() throws {
        let base = try MinifiedSite(build: 1, firstName: 60).site
        let target = try MinifiedSite(build: 2, firstName: 61).site
        let count = try Self.expectTransfer(from: base, to: target)
        let whole = try ManifestPatch.encode(base: base.manifest.bytes, target: target.manifest.bytes).count
        // Four names of 48 bits, and five objects whose digests have 32 bytes each.
        #expect(count <= 4 * 6 + 24, "\(count) bytes, as a patch \(whole)")
        #expect(whole > 5 * 32)
    }

    @Test func `files that come, go, move, repeat and change all arrive`() throws {
        let base = try Site(texts: [
            "index.html": "one", "kept.js": "kept", "moved.js": "moved", "gone/gone.css": "gone",
            "a-1234567a.js": "first", "b-ABCDEFG2.js": "second",
        ])
        let target = try Site(texts: [
            "index.html": "two, longer", "kept.js": "kept", "new/moved.js": "moved", "empty.txt": "",
            "a-89abcdef.js": "first, changed", "b-ABCDEFG3.js": "second", "twice/1.js": "twice", "twice/2.js": "twice",
            "ünïcode-Xy12_-zZ.js": "name",
        ])
        _ = try Self.expectTransfer(from: base, to: target)
        _ = try Self.expectTransfer(from: target, to: base)
        #expect(try Self.expectTransfer(from: base, to: base) <= 4)
    }

    @Test func `the hash of a new file is found where another file imports it`() throws {
        let base = try Site(texts: ["index.html": "nothing", "main-12345678.js": "old"])
        let hash = "Zy9_-aB3"
        let imports = (0..<20).map { "import(\"./page\($0)-\(hash.dropLast(2))\(10 + $0).js\");" }.joined(
            separator: "\n")
        var texts = ["index.html": "nothing", "main-87654321.js": imports]
        for page in 0..<20 { texts["assets/page\(page)-\(hash.dropLast(2))\(10 + page).js"] = "page \(page)" }
        let target = try Site(texts: texts)
        let count = try Self.expectTransfer(from: base, to: target)
        var unnamed = texts
        unnamed["main-87654321.js"] = String(repeating: "x", count: imports.utf8.count)
        let other = try Self.expectTransfer(from: base, to: Site(texts: unnamed))
        #expect(count + 20 * 4 < other, "\(count) bytes, \(other) where nothing imports them")
    }

    @Test func `whole names of new files are found where other files import them`() throws {
        let base = try Site(texts: [
            "index.html": "nothing", "assets/kept-AbCd1234.js": "kept", "assets/gone-12345678.js": "old",
        ])
        let names = (0..<30).map { "part\(($0 &* 7919) % 1000)-\(["Zy9-aB", "q_W3rT", "0OxYz1"][$0 % 3])\(10 + $0).js" }
        var texts = ["index.html": "nothing", "assets/kept-AbCd1234.js": "kept"]
        // One name that is of no file, and one that a file with a name has.
        texts["assets/main-87654321.js"] =
            (names + ["other-QwErTy12.js", "kept-AbCd1234.js"]).map { "import(\"./\($0)\");" }.joined()
        for (index, name) in names.enumerated() { texts["assets/\(name)"] = "page \(index)" }
        let target = try Site(texts: texts)
        let count = try Self.expectTransfer(from: base, to: target)
        // Main's own name, and two bytes for each of the others: where it stands, and its size.
        #expect(count <= 50 + 30 * 2, "\(count) bytes")
        _ = try Self.expectTransfer(from: target, to: base)
    }

    @Test func `unnamed files out of place, or without as many names, are refused or give another manifest`() throws {
        let base = try Site(texts: ["index.html": "one"])
        let head = try ManifestHead(parsing: base.manifest.bytes)
        func bytes(
            _ files: [ManifestChanges.UnnamedFile], folder: String = "assets/", endings: [String] = [".js"],
            manifestByteCount: Int = 4000
        ) throws -> [UInt8] {
            var changes = ManifestChanges(from: base.manifest, to: base.manifest, head: head.bytes, pins: [])
            changes.unnamed = .init(
                folder: Array(folder.utf8), endings: endings.map { Array($0.utf8) }, excluded: [0, 5, 6], files: files)
            var coder = SkeletonCoder(BinaryEncoder())
            _ = try ManifestChanges.code(
                changes, base: base.manifest, head: head, manifestByteCount: manifestByteCount, &coder)
            return coder.coder.end()
        }
        let file = ManifestChanges.UnnamedFile(place: 1, content: .new(size: 3))
        let skeleton = try Self.skeleton(bytes([file]), base: base.manifest, manifestByteCount: 4000)
        #expect(skeleton.plan.new.map(\.size) == [3])
        #expect(skeleton.manifestBytes(new: skeleton.plan.new, names: skeleton.names).isEmpty)
        let after = ManifestChanges.UnnamedFile(place: 2, content: .new(size: 3))
        for (files, folder) in [([after], "assets/"), ([file], "../../other/"), ([file], "/")] {
            #expect(throws: PatchError.self, "\(folder)") {
                try Self.skeleton(bytes(files, folder: folder), base: base.manifest, manifestByteCount: 4000)
            }
        }
        let many = [ManifestChanges.UnnamedFile](repeating: file, count: 60)
        #expect(throws: PatchError.corrupt(reason: "it is longer than is signed")) {
            try Self.skeleton(bytes(many), base: base.manifest, manifestByteCount: 4000)
        }
        // Refused at the first: a sum of such places would leave the range of a number.
        let far = ManifestChanges.UnnamedFile(place: 1 << 40, content: .new(size: 0))
        #expect(throws: PatchError.corrupt(reason: "a file is out of place")) {
            try Self.skeleton(bytes([far], manifestByteCount: .max), base: base.manifest, manifestByteCount: 4000)
        }
        // Endings are text that nobody has signed: a hundred kilobytes of it cost the sender some hundred bytes.
        let long = String(repeating: ".", count: 1000)
        for endings in [[String](repeating: long, count: 100), [String](repeating: "", count: 5000)] {
            let hostile = try bytes([file], endings: endings, manifestByteCount: .max)
            #expect(hostile.count < 2000, "\(hostile.count) bytes")
            #expect(throws: PatchError.corrupt(reason: "it is longer than is signed")) {
                try Self.skeleton(hostile, base: base.manifest, manifestByteCount: 4000)
            }
        }
    }

    @Test func `names that stand in no file, in several, or in an order that hangs on the hash, arrive as well`() throws
    {
        let base = try Site(texts: [
            "index.html": "nothing", "lone-AAAA1111.js": "gone", "lone-BBBB2222.js": "gone too",
        ])
        let target = try Site(texts: [
            "index.html": "chunk-ZZZZ9999.js chunk-AAAA0000.js page-ABCD1234.js page-EFGH5678.js lone-CCCC3333.js",
            "chunk-AAAA0000.js": "1", "chunk-ZZZZ9999.js": "2", "page-EFGH5678.js": "3", "lone-CCCC3333.js": "4",
            "never-QRST4321.js": "5", "a/chunk-AAAA0000.js": "6", "twice-00000001.js": "twice-00000001.js",
        ])
        _ = try Self.expectTransfer(from: base, to: target)
        _ = try Self.expectTransfer(from: target, to: base)
    }

    @Test func `files of shared bundles keep their digests`() throws {
        let base = try Site(
            ["index.html": Array("one".utf8), "lib.js": Array("library".utf8)], from: ["lib.js": "common"])
        let target = try Site(
            ["index.html": Array("two".utf8), "lib.js": Array("library, new".utf8), "x.js": Array("x".utf8)],
            from: ["lib.js": "common", "x.js": "other"])
        _ = try Self.expectTransfer(from: base, to: target)
        _ = try Self.expectTransfer(from: target, to: base)
    }

    @Test func `sizes that explode are refused before anything is decoded`() throws {
        let base = try Site(texts: ["index.html": "one"])
        let path = try PackagePath("index.html")
        for size in [(8 << 20) + 4, 1 << 40, 1 << 50] {
            let target = try Manifest(
                package: base.manifest.package, version: base.manifest.version, entry: nil,
                files: [path: Manifest.File(digest: Digest(of: [1]), size: size)])
            // No encoder sends it.
            #expect(
                try ManifestSkeleton.encode(base: base.manifest.bytes, target: target.bytes, object: base.object) == nil
            )
            let bytes = try HostileSkeleton(base: base.manifest).changing([size])
            #expect(throws: PatchError.tooLarge(byteCount: size, limit: (8 << 20) + 3)) {
                try Self.skeleton(bytes, base: base.manifest, manifestByteCount: target.bytes.count)
            }
        }
    }

    @Test func `a skeleton of more files than the signed length has room for is refused`() throws {
        let base = try Site(texts: ["index.html": "one"])
        let target = try Site(
            texts: Dictionary(uniqueKeysWithValues: (0..<200).map { ("file\($0).js", "content \($0)") }))
        let bytes = try #require(
            try Self.encode(from: base, to: target))
        #expect(throws: PatchError.corrupt(reason: "it is longer than is signed")) {
            try Self.skeleton(bytes, base: base.manifest, manifestByteCount: 4000)
        }
    }

    @Test func `a skeleton of another release, or against another base, gives another manifest or none`() throws {
        let texts = ["index.html": "one", "app.js": "the program", "kept.js": "kept"]
        func site(_ changes: [String: String?]) throws -> Site {
            try Site(texts: changes.reduce(into: texts) { $0[$1.key] = $1.value })
        }
        let base = try site([:])
        let target = try site(["index.html": "two"])
        let (right, patch) = try (#require(try Self.encode(from: base, to: target)), Self.patch(from: base, to: target))
        func expectAnother(_ skeleton: [UInt8], _ patch: [UInt8], from base: Site) throws {
            let outcome = try Self.apply(skeleton, patch, base: base, target: target)
            #expect(!outcome.manifest.isEmpty && outcome.manifest != target.manifest.bytes)
        }
        // One new object of as many bytes, elsewhere; and a file less.
        for other in [try site(["app.js": "new"]), try site(["index.html": "two", "kept.js": nil])] {
            try expectAnother(#require(try Self.encode(from: base, to: other)), patch, from: base)
        }
        // Another base of which everything that both refer to is there.
        try expectAnother(right, patch, from: site(["kept.js": "other"]))
        // Two new objects where the patch has one, and the other way round.
        let other = try site(["index.html": "two", "app.js": "the problem"])
        #expect(throws: PatchError.self) {
            try Self.apply(#require(try Self.encode(from: base, to: other)), patch, base: base, target: target)
        }
        #expect(throws: PatchError.self) {
            try Self.apply(right, Self.patch(from: base, to: other), base: base, target: target)
        }
    }

    @Test func `a hash that would lead out of the package, and a path that stands twice, are refused`() throws {
        let name = try #require(HashedName(try PackagePath("assets/a-12345678.js")))
        #expect(try name.path(with: Array("abcdefgh".utf8)).text == "assets/a-abcdefgh.js")
        for hash in ["/../../../other/x", "/../..", "a:b", "\\", "\u{0}"] {
            #expect(throws: PatchError.self, "\(hash)") { try name.path(with: Array(hash.utf8)) }
        }
        let base = try Site(texts: ["index.html": "one"])
        let head = try ManifestHead(parsing: base.manifest.bytes)
        var changes = ManifestChanges(from: base.manifest, to: base.manifest, head: head.bytes, pins: [])
        changes.added = [.init(path: try PackagePath("index.html"), content: .new(size: 3))]
        var coder = SkeletonCoder(BinaryEncoder())
        _ = try ManifestChanges.code(
            changes, base: base.manifest, head: head, manifestByteCount: 4000, &coder)
        let bytes = coder.coder.end()
        #expect(throws: PatchError.corrupt(reason: "it has a path twice")) {
            try Self.skeleton(bytes, base: base.manifest, manifestByteCount: 4000)
        }
    }

    @Test func `a cut skeleton and one with bytes behind it are refused`() throws {
        let base = try MinifiedSite(build: 1, firstName: 60).site
        let target = try MinifiedSite(build: 2, firstName: 61).site
        let bytes = try #require(
            try Self.encode(from: base, to: target))
        let count = target.manifest.bytes.count
        for more in [[0], [7], [0, 0], [0, 0, 0, 0], [UInt8](repeating: 7, count: 9)] as [[UInt8]] {
            #expect(throws: PatchError.trailingData, "\(more)") {
                try Self.skeleton(bytes + more, base: base.manifest, manifestByteCount: count)
            }
        }
        // The last byte is the smallest that does.
        for byte in UInt8.min...UInt8.max where byte != bytes.last {
            #expect(throws: PatchError.self, "\(byte)") {
                try Self.skeleton(Array(bytes.dropLast()) + [byte], base: base.manifest, manifestByteCount: count)
            }
        }
        for left in [0, bytes.count / 2, bytes.count - 1] {
            #expect(throws: PatchError.self, "\(left)") {
                try Self.skeleton(Array(bytes.prefix(left)), base: base.manifest, manifestByteCount: count)
            }
        }
    }

    @Test func `an update file tells skeleton and patch apart, and other formats are refused`() throws {
        for count in [0, 1, 127, 128, 20_000] {
            let (skeleton, patch) = ([UInt8](repeating: 3, count: count), [UInt8](repeating: 4, count: 5))
            let file = try UpdateFile(parsing: UpdateFile.bytes(skeleton: skeleton, patch: patch))
            #expect(Array(file.skeleton) == skeleton)
            #expect(Array(file.patch) == patch)
        }
        for bytes in [[], [2, 0], [1], [1, 5, 1], [1, 0x80]] as [[UInt8]] {
            #expect(throws: PatchError.self) { try UpdateFile(parsing: bytes) }
        }
        #expect(throws: PatchError.trailingData) {
            try UpdateFile(parsing: [1, 0] + [UInt8](repeating: 0, count: UpdateFile.maximumPatchByteCount + 1))
        }
    }
}
