import Foundation
import PackFormat
import Testing

@testable import PackPatch

/// The `zstd` tool judges our bytes, and we read its.
struct ZstdToolTests {
    let base: Site
    let target: Site
    let plan: PatchPlan
    let folder: URL

    init() throws {
        var random = RandomBytes(seed: 4)
        let words = (0..<4_000).map { _ in "w\(UInt16.random(in: 0...999, using: &random))" }
        let text = words.joined(separator: " ")
        let changed = text.replacingOccurrences(of: "w77 ", with: "w78 ")
        base = try Site(texts: ["a.js": text, "b.js": String(text.reversed())])
        target = try Site(texts: ["a.js": changed, "b.js": String(changed.reversed()), "c.js": "new"])
        plan = PatchPlan(from: base.manifest, to: target.manifest)
        folder = temporaryFile("zstd")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try base.concatenation(of: plan.lost).write(to: folder.appendingPathComponent("old"))
        try target.concatenation(of: plan.new).write(to: folder.appendingPathComponent("new"))
    }

    /// Runs `zstd` in the folder and returns its exit code.
    private func zstd(_ arguments: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["zstd", "-q", "-f"] + arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    @Test func `zstd applies our patch and our full download`() throws {
        try PatchEncoder().encode(plan, to: file("patch.zst"), object: objects(of: base, target))
        #expect(try zstd("-d", "--patch-from=old", "patch.zst", "-o", "out") == 0)
        #expect(try Data(contentsOf: file("out")) == Data(contentsOf: file("new")))

        let full = PatchPlan(from: nil, to: target.manifest)
        try PatchEncoder().encode(full, to: file("full.zst"), object: objects(of: base, target))
        #expect(try zstd("-d", "full.zst", "-o", "out") == 0)
        #expect(try Data(contentsOf: file("out")) == Data(contentsOf: file("new")))
    }

    @Test(arguments: ["-3", "-19", "--ultra -22 --long=27", "-19 --no-check"])
    func `we apply a patch that zstd made`(options: String) throws {
        let arguments = options.split(separator: " ").map(String.init)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["zstd", "-q", "-f"] + arguments + ["--patch-from=old", "new", "-o", "patch.zst"]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        var sink = CollectingSink()
        try PatchDecoder(plan).apply(file("patch.zst"), to: &sink) { base.object($0) }
        #expect(sink.order == plan.new)
    }

    @Test func `a manifest patch is a frame that zstd applies`() throws {
        let old = base.manifest.bytes
        let new = target.manifest.bytes
        try Data(old).write(to: file("old.json"))
        try Data(ManifestPatch.encode(base: old, target: new)).write(to: file("manifest.zst"))
        #expect(try zstd("-d", "--patch-from=old.json", "manifest.zst", "-o", "new.json") == 0)
        #expect(Array(try Data(contentsOf: file("new.json"))) == new)
    }
}
