import Foundation
import PackJSON
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How devices take a release, from the command line to a device.
struct PolicyCommandTests {
    private func publish(_ tool: Tool, _ version: String, _ more: String...) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title><script>packtool.confirm()</script>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages"
        ).expectSuccess()
        try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta"] + more).expectSuccess()
    }

    private func update(_ tool: Tool, _ facts: String...) async throws -> Outcome {
        try await tool.run(
            ["client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json"] + facts)
    }

    @Test func `a release waits on the device for what it was published with, and the reason is printed`() async throws
    {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        try await update(tool).expectSuccess()
        try await publish(tool, "1.1.0", "--network", "unmetered", "--install", "next-start")

        let offered = try await tool.run("status")
        #expect(offered.standardOutput.contains("beta"), "\(offered)")
        let waits = try await update(tool, "--network", "metered")
        #expect(
            waits.exitCode == 2
                && waits.standardOutput.contains("shop 1.1.0 is offered, but it waits for an unmetered network"),
            "\(waits)")
        let status = try await tool.run("client", "status", "--store", "device")
        #expect(status.standardOutput.contains("not installed yet: it waits for an unmetered network"), "\(status)")

        // Devices that read format 1 are offered what is below it.
        let channels = try tool.listing(".packtool/registry/view/targets/channels")
        let plain = channels.filter { !$0.key.hasSuffix(".v2.json") }.map { String(decoding: $0.value, as: UTF8.self) }
        #expect(plain.allSatisfy { !$0.contains("1.1.0") } && !plain.isEmpty)

        let changed = try await tool.run("rollout", "shop", "--channel", "beta", "--network", "any", "--mandatory")
        #expect(
            changed.exitCode == 0 && changed.standardOutput.contains("1.1.0 (mandatory; install nextStart)"),
            "\(changed)")
        let staged = try await update(tool, "--network", "metered")
        #expect(staged.exitCode == 0 && staged.standardOutput.contains("active from the next start on"), "\(staged)")
        let json = try await update(tool, "--json")
        let entry = try json.json().object().object("packages").object("shop")
        #expect(try entry.string("outcome") == "staged" && entry.bool("mandatory"), "\(json)")

        // A mandatory release that a newer one hides is still told to devices that skip it.
        try await publish(tool, "1.2.0", "--window", "mon-sun 00:00-24:00")
        try await publish(tool, "1.3.0")
        let device = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--json")
        #expect(try device.json().object().object("packages").object("shop").bool("mandatory"), "\(device)")

        // The server says the same of a device that skips it, and of one that has it.
        let server = try tool.start(["serve", "--port", "0"])
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let base = try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
        for (current, isMandatory) in [("1.0.0", true), ("1.1.0", false)] {
            let query = "channel=beta&package=shop&device=d&current=\(current)"
            let url = try #require(URL(string: "\(base)/v1/update?\(query)"))
            let (data, _) = try await URLSession.shared.data(from: url)
            let answer = try JSONValue(parsing: Array(data)).object("update")
            #expect(try answer.string("version") == "1.3.0")
            #expect(try answer["policy"]?.object("policy").bool("mandatory") ?? false == isMandatory, "\(answer)")
        }
    }

    @Test func `what does not go together is refused, and nothing is changed`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish(tool, "1.0.0")
        let before = try tool.listing(".packtool/registry/view")
        let both = try await tool.run(
            "rollout", "shop", "--channel", "beta", "--mandatory", "--network", "unmetered")
        expectClearError(both, naming: ["a mandatory release waits for no network"])
        for (option, value, reason) in [
            ("--window", "22:00", "no pair of hours"), ("--network", "wifi", "wifi"), ("--install", "later", "later"),
        ] {
            let outcome = try await tool.run("rollout", "shop", "--channel", "beta", option, value)
            #expect(outcome.exitCode == 64 && outcome.standardError.contains(reason), "\(outcome)")
        }
        let same = try await tool.run("rollout", "shop", "--channel", "beta", "--no-mandatory")
        #expect(same.exitCode == 2, "\(same)")
        #expect(try tool.listing(".packtool/registry/view") == before)
    }
}
