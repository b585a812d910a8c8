import Foundation
import PackJSON
import Testing

/// `packtool patches`: patches ahead from what devices have.
struct PatchesCommandTests {
    private let tool: Tool

    init() async throws {
        tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        for number in 0...6 { try await publish("1.\(number).0") }
    }

    /// A version with a script of its own: 60 KB of which some lines change.
    private func publish(_ version: String) async throws {
        let script = (0..<2_000).map { $0 % 97 == 0 ? "step(\($0), '\(version)');" : "step(\($0), 'as ever');" }
        try tool.write([
            "sites/\(version)/index.html": "<!doctype html><title>Shop \(version)</title>",
            "sites/\(version)/app.js": script.joined(separator: "\n"),
        ])
        try await tool.run(
            "build", "sites/\(version)", "--package", "shop", "--package-version", version, "--out", "packages"
        ).expectSuccess()
        try await tool.run("publish", "packages/shop-\(version).zip", "--channel", "beta").expectSuccess()
    }

    private func plan(_ more: String...) async throws -> [String: JSONObject] {
        let json = try await tool.run(["patches", "--plan", "--json"] + more).expectSuccess().json().object()
        return Dictionary(
            uniqueKeysWithValues: try json.array("patches").map { entry in
                let patch = try entry.object()
                return ("\(try patch.string("from")) \(try patch.string("to"))", patch)
            })
    }

    /// The devices of these numbers say that a version became active and works.
    private func report(_ numbers: ClosedRange<Int>, have version: String, to url: String) async throws {
        let time = Int(Date().timeIntervalSince1970)
        for number in numbers {
            let sender = String(repeating: "0", count: 28) + String(number + 0x1000, radix: 16)
            let event =
                #""time": \#(time), "package": "shop", "version": "\#(version)""#
            let body = """
                {"format": 1, "sender": "\(sender)", "channel": "beta", "events": [{"sequence": 1, "code": "activated", \(event)}, \
                {"sequence": 2, "code": "confirmed", \(event)}]}
                """
            let sent = try await tool.shell(
                "curl -sSf -H 'Content-Type: application/json' --data-binary '\(body)' '\(url)/v1/reports'")
            #expect(sent.exitCode == 0, "\(sent)")
        }
    }

    @Test func `patches come from what devices have, and a device with an old version loads one`() async throws {
        // Four versions before are made ahead; older ones are not known to be on any device.
        let before = try await plan()
        #expect(Set(before.keys) == ["1.2.0 1.6.0", "1.3.0 1.6.0", "1.4.0 1.6.0", "1.5.0 1.6.0"])
        #expect(try before.values.allSatisfy { try $0.string("decision") == "made" && $0["devices"] == nil })

        let server = try tool.start("serve", "--port", "0", "--json")
        let line = try #require(await server.line(holding: "http://"))
        let url = String(try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output))
        try await report(1...5, have: "1.0.0", to: url)
        try await report(6...7, have: "1.5.0", to: url)
        server.kill(SIGTERM)
        _ = await server.outcome()

        let reported = try await plan()
        let old = try #require(reported["1.0.0 1.6.0"])
        #expect(try old.integer("devices") == 5 && old.string("decision") == "make")
        #expect(
            try reported["1.5.0 1.6.0"]?.integer("devices") == 2 && reported["1.2.0 1.6.0"]?.integer("devices") == 0)
        #expect(reported["1.1.0 1.6.0"] == nil, "no device has it")
        let text = try await tool.run("patches", "--plan").expectSuccess().standardOutput
        #expect(text.contains("1 patch to make") && text.contains("saves 5 devices about"), "\(text)")
        #expect(try await plan() == reported, "a plan makes nothing")
        let short = try await plan("--space", "1", "--seconds", "1")
        #expect(try short["1.0.0 1.6.0"]?.string("decision") == "make")

        let made = try await tool.run("patches").expectSuccess().standardOutput
        #expect(made.contains("made 1 patch"), "\(made)")
        let patch = try #require(try await plan()["1.0.0 1.6.0"])
        #expect(try patch.string("decision") == "made" && patch.integer("bytes") < old.integer("downloadBytes"))
        let size = try patch.integer("bytes")
        #expect(try tool.listing(".packtool/registry/view/patches").values.contains { $0.count == size })
        let again = try await tool.run("patches").expectSuccess().standardOutput
        #expect(again.contains("made 0 patches"), "\(again)")

    }

    @Test func `what cannot be is said`() async throws {
        let server = try await tool.run("patches", "--registry", "http://127.0.0.1:9")
        expectClearError(server, naming: ["where the registry's files are", "--registry"])
        expectClearError(try await tool.run("patches", "shopp"), naming: ["shopp", "shop"])
        let option = try await tool.run("patches", "--space", "0")
        #expect(option.exitCode == 64 && option.standardError.contains("--space must be"), "\(option)")
    }
}
