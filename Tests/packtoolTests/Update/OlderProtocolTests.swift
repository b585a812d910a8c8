import Foundation
import Testing

/// Devices that were shipped before a format existed go on asking for what they know.
struct OlderProtocolTests {
    @Test func `without update files and recent metadata, devices find what the first protocol has`() async throws {
        let scene = try await AttackScene()
        let port = try #require(try await scene.serve().split(separator: ":").last)
        try await scene.publish("1.1.0")
        let script = Tool.project.appendingPathComponent("Tests/Tools/older_protocol.py").path
        let older = try scene.tool.start(URL(fileURLWithPath: "/usr/bin/python3"), [script, String(port)])
        let url = try await "http://127.0.0.1:\(#require(older.line(holding: "")))"

        // The patch is made when it is asked for, which takes seconds where much else goes on.
        try await scene.expectUpdate(from: url, to: "1.1.0", patience: 30)
        let first = Self.asked(of: older, after: 1)
        #expect(
            first.known == [
                "200 /metadata/timestamp.json", "200 /metadata/N.snapshot.json", "200 /metadata/N.channels.json",
                "200 /targets/channels/D.beta.json", "200 /metadata/N.package.shop.json",
                "200 /patches/D/D.manifest.zst", "200 /patches/D/D.zst",
            ])
        // What it had to do without: this program knows more.
        #expect(first.unknown == ["unknown /metadata/N.recent.zst", "unknown /patches/D/D.update"])

        // A new device: everything in one answer, and the version whole.
        try await scene.tool.shell("rm -rf device").expectSuccess()
        let count = older.lines.count
        try await scene.tool.run(AttackScene.update(from: url, patience: 30) + ["--root", ".packtool/root.json"])
            .expectSuccess()
        #expect(try await scene.runningVersion() == "1.1.0")
        let second = Self.asked(of: older, after: count)
        #expect(
            second.known == [
                "200 /v1/bundle/1/beta", "200 /targets/manifests/shop/D.1.1.0.json", "200 /patches/D/full.zst",
            ])
        #expect(second.unknown.isEmpty)
    }

    private static func asked(of server: RunningTool, after count: Int) -> (known: [String], unknown: [String]) {
        let all = server.lines.dropFirst(count).map { $0.replacing(/metadata\/[0-9]+\./, with: "metadata/N.") }
        return (all.filter { !$0.hasPrefix("unknown") }, all.filter { $0.hasPrefix("unknown") })
    }
}
