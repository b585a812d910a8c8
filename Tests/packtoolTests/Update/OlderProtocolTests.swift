import Foundation
import Testing

/// Devices that were shipped before a format existed go on asking for what they know.
struct OlderProtocolTests {
    @Test func `a device that knows neither update files nor recent metadata finds all that it asks for`() async throws
    {
        let scene = try await AttackScene()
        let port = try #require(try await scene.serve().split(separator: ":").last)
        try await scene.publish("1.1.0")
        let script = Tool.project.appendingPathComponent("Tests/Tools/older_protocol.py").path
        let older = try scene.tool.start(URL(fileURLWithPath: "/usr/bin/python3"), [script, String(port)])
        let url = try await "http://127.0.0.1:\(#require(older.line(holding: "")))"

        try await scene.expectUpdate(from: url, to: "1.1.0")
        let asked = older.lines.dropFirst()
        #expect(
            asked.filter { $0.hasPrefix("had ") }.map { $0.replacing(/\/[0-9]+\./, with: "/N.") } == [
                "had /metadata/timestamp.json", "had /metadata/N.snapshot.json", "had /metadata/N.channels.json",
                "had /targets/channels/D.beta.json", "had /metadata/N.package.shop.json",
                "had /patches/D/D.manifest.zst", "had /patches/D/D.zst",
            ])
        // What it had to do without: this program knows more.
        let lacking = asked.filter { $0.hasPrefix("lacks ") }
        #expect(
            lacking.contains { $0.hasSuffix(".recent.zst") } && lacking.contains { $0.hasSuffix(".update") },
            "\(lacking)")

        // A new device of that time: everything in one answer, and the version whole.
        try await scene.tool.shell("rm -rf device").expectSuccess()
        let known = older.lines.count
        try await scene.tool.run(AttackScene.update(from: url) + ["--root", ".packtool/root.json"]).expectSuccess()
        #expect(try await scene.runningVersion() == "1.1.0")
        let first = older.lines.dropFirst(known).filter { $0.hasPrefix("had ") }
        #expect(first.contains("had /v1/bundle/1/beta") && first.contains("had /patches/D/full.zst"), "\(first)")
    }
}
