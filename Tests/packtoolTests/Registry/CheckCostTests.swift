import AttackSupport
import Foundation
import Testing

/// What a check costs on the wire: requests, and bytes both ways with all heads.
struct CheckCostTests {
    private struct Wire {
        let proxy: RunningTool
        let url: String

        init(to server: String, _ tool: Tool) async throws {
            let port = try #require(server.split(separator: ":").last)
            let script = Tool.project.appendingPathComponent("Tests/Tools/counting_proxy.py").path
            proxy = try tool.start(URL(fileURLWithPath: "/usr/bin/python3"), [script, String(port)])
            url = try await "http://127.0.0.1:\(#require(proxy.line(holding: "")))"
        }

        /// Since the start.
        func counted() async throws -> (requests: Int, bytes: Int) {
            // What the proxy saw is written when it passes; the update has ended by now.
            let line = proxy.lines.last { $0.contains(" ") } ?? "0 0"
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            return (try #require(numbers.first), try #require(numbers.last))
        }
    }

    @Test func `an update check with nothing new costs at most two requests and 2 KB`() async throws {
        let scene = try await AttackScene()
        let wire = try await Wire(to: scene.serve(), scene.tool)
        // The device came from the folder: the first check over HTTP brings the timestamp, and asks for a newer root.
        try await scene.tool.shell("rm -rf device/cache").expectSuccess()
        #expect(try await scene.update(from: wire.url).exitCode == 2)
        var last = try await wire.counted()
        for isProbeDue in [false, true] {
            if isProbeDue { try await scene.tool.shell("rm device/cache/root-probe").expectSuccess() }
            #expect(try await scene.update(from: wire.url).exitCode == 2)
            let now = try await wire.counted()
            let cost = (requests: now.requests - last.requests, bytes: now.bytes - last.bytes)
            #expect(cost.requests == (isProbeDue ? 2 : 1), "\(cost)")
            #expect(cost.bytes <= 2_000, "\(cost)")
            print(
                "a check with nothing new\(isProbeDue ? ", root probe due" : ""): \(cost.requests) requests, \(cost.bytes) bytes"
            )
            last = now
        }
    }

    @Test func `a fresh device checks with one request, and where files are served plainly all the same`() async throws
    {
        let scene = try await AttackScene()
        try await scene.tool.shell("rm -rf device").expectSuccess()
        let wire = try await Wire(to: scene.serve(), scene.tool)
        let check = AttackScene.update(from: wire.url) + ["--check", "--root", ".packtool/root.json"]
        let said = try await scene.tool.run(check).expectSuccess()
        #expect(said.standardOutput.contains("shop 1.0.0 would be installed"), "\(said)")
        #expect(try await wire.counted().requests == 1)
        let document = try await scene.tool.run(check + ["--json"]).expectSuccess()
        #expect(document.standardOutput.contains("\"would-install\""), "\(document)")
        try await scene.expectUpdate(from: wire.url, to: "1.0.0")

        try await scene.tool.shell("rm -rf device").expectSuccess()
        let plain = try await scene.mirror()
        let update = AttackScene.update(from: plain.url) + ["--root", ".packtool/root.json"]
        try await scene.tool.run(update).expectSuccess()
        #expect(try await scene.runningVersion() == "1.0.0")
    }

    /// A bundle is no way around a check: one whose timestamp was replaced by an older one, or by nonsense, is refused.
    @Test(arguments: ["old", "nonsense", "null"])
    func `a bundle is verified like single files`(attack: String) async throws {
        let scene = try await AttackScene(making: nil)
        let url = try await scene.serve()
        let server = try await scene.mirror()
        try await scene.tool.shell("mkdir -p '\(server.folder.path)/v1/bundle/1'").expectSuccess()
        let bundle = "\(server.folder.path)/v1/bundle/1/beta"
        try await scene.tool.shell("curl -sf \(url)/v1/bundle/1/beta > '\(bundle)'").expectSuccess()
        try await scene.tool.shell(
            """
            python3 - <<'END'
            import json
            bundle = json.load(open('\(bundle)'))
            name = 'metadata/timestamp.json'
            text = json.loads(bundle['files'][name])
            text['signed']['version'] += 0 if '\(attack)' == 'old' else 1
            text['signed']['expires'] = '2001-01-01T00:00:00Z'
            bundle['files'][name] = None if '\(attack)' == 'null' else json.dumps(text)
            json.dump(bundle, open('\(bundle)', 'w'))
            END
            """
        ).expectSuccess()
        try await scene.tool.shell("rm -rf device/trust device/cache").expectSuccess()
        let known = try await scene.explanations().count
        let update = AttackScene.update(from: server.url) + ["--root", ".packtool/root.json"]
        let refused = try await scene.tool.run(update)
        #expect(refused.exitCode == 1, "\(refused)")
        let said = try await scene.explanations(after: known).joined()
        #expect(said.contains("check-failed") && said.contains("timestamp"), "\(said)")
        #expect(try await scene.runningVersion() == "1.0.0")
    }
}
