import Foundation
import PackJSON
import Testing

/// Why a device has what it has: the registry, the server and the device say the same.
struct ExplainTests {
    private func publish(_ tool: Tool, _ version: String, _ more: String...) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages", "--quiet"
        ).expectSuccess()
        try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta"] + more).expectSuccess()
    }

    @Test func `a folder, a server and a device explain in the same words, and the past is told too`() async throws {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        let folder = ["--registry", registry.folder]
        try await publish(tool, "1.0.0", folder[0], folder[1])
        try await Task.sleep(for: .milliseconds(50))
        let before = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        try await Task.sleep(for: .milliseconds(50))
        try await publish(tool, "1.1.0", "--audience", "platform=ios", "--rollout", "50", folder[0], folder[1])
        let device = ["--device", "d1", "--platform", "linux"]
        let asked = ["explain", "shop", "--channel", "beta"] + device
        let local = try await tool.run(asked + folder).expectSuccess()
        #expect(local.standardOutput.hasPrefix("shop on beta: the device takes 1.0.0\n"), "\(local)")
        #expect(local.standardOutput.contains("FAIL  platform=ios  linux"), "\(local)")
        let served = try await tool.run(asked + ["--registry", registry.url]).expectSuccess()
        #expect(served.standardOutput == local.standardOutput)

        let client = ["--store", "device", "--channel", "beta", "--registry", registry.url] + device
        try await tool.run(["client", "update"] + client).expectSuccess()
        let own = try await tool.run(["client", "explain"] + client).expectSuccess()
        let note = "  1.0.0 is active, and not confirmed yet\n"
        let lines = own.standardOutput.replacing(note, with: "")
        #expect(lines != own.standardOutput && lines.hasPrefix(local.standardOutput.trimmingSuffix("\n")), "\(own)")
        let json = try await tool.run(asked + folder + ["--json"]).json().object()
        let answer = try await tool.shell(
            "curl -sf '\(registry.url)/v1/explain?channel=beta&package=shop&device=d1&platform=linux'")
        #expect(try answer.json().object() == json)

        let past = try await tool.run(asked + folder + ["--at", before]).expectSuccess()
        #expect(!past.standardOutput.contains("1.1.0") && past.standardOutput.contains("at 20"), "\(past)")
        let servedPast = try await tool.run(asked + ["--registry", registry.url, "--at", before]).expectSuccess()
        #expect(servedPast.standardOutput == past.standardOutput)
        let never = try await tool.run(asked + folder + ["--at", "2001-01-01T00:00:00Z"])
        expectClearError(never, naming: ["nothing had been offered on the channel beta by then", "beta"])
        for place in [registry.folder, registry.url] {
            let future = try await tool.run(asked + ["--registry", place, "--at", "2199-01-01T00:00:00Z"])
            expectClearError(
                future,
                naming: [
                    "2199-01-01T00:00:00.000Z is in the future", "Leave the time out",
                    "packtool rollout status PACKAGE",
                ])
            #expect(future.exitCode == 1 && future.standardOutput.isEmpty, "\(future)")
        }
        let misspelt = try await tool.run(["explain", "shopp", "--channel", "beta"] + folder)
        expectClearError(misspelt, naming: ["beta has nothing of shopp", "it has: shop"])
    }

    @Test func `groups, the policy and the step of the plan are told by a folder and a server alike`() async throws {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        let folder = ["--registry", registry.folder]
        try await publish(tool, "1.0.0", folder[0], folder[1])
        try tool.write([
            "ids.txt": "ann\nbob\n",
            "plan.json": #"{"steps": [{"share": 10, "for": "1d"}, {"share": 40, "for": "1d"}, {"share": 100}]}"#,
        ])
        try await tool.run(["group", "set", "testers", "--channel", "beta", "--file", "ids.txt"] + folder)
            .expectSuccess()
        try await publish(
            tool, "1.1.0", "--audience", "group=testers", "--rollout", "0", "--network", "unmetered", folder[0],
            folder[1])
        try await tool.run(["rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--yes"] + folder)
            .expectSuccess()
        try await Task.sleep(for: .milliseconds(50))
        let before = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        try await Task.sleep(for: .milliseconds(50))
        try await tool.run(["rollout", "advance", "shop", "--channel", "beta", "--yes"] + folder).expectSuccess()
        for (device, group) in [
            ("ann", "pass  group=testers      testers"), ("carl", "FAIL  group=testers      not known"),
        ] {
            let asked = ["explain", "shop", "--channel", "beta", "--device", device, "--network", "metered"]
            let local = try await tool.run(asked + folder).expectSuccess()
            for part in [group, "WAIT  network unmetered  metered", "plan  step 2 of 3, running; next 100 % at 20"] {
                #expect(local.standardOutput.contains(part), "\(part): \(local)")
            }
            let served = try await tool.run(asked + ["--registry", registry.url]).expectSuccess()
            #expect(served.standardOutput == local.standardOutput)
            let json = try await tool.run(asked + folder + ["--json"]).json().object()
            let answer = try await tool.shell(
                "curl -sf '\(registry.url)/v1/explain?channel=beta&package=shop&device=\(device)&network=metered'")
            #expect(try answer.json().object() == json)
            let past = try await tool.run(asked + folder + ["--at", before]).expectSuccess()
            #expect(past.standardOutput.contains("plan  step 1 of 3, running; next 40 % at 20"), "\(past)")
            #expect(past.standardOutput.contains(group) && past.standardOutput.contains("the groups are those of now"))
            #expect(past.standardOutput.contains("WAIT  network unmetered  metered"), "\(past)")
            let servedPast = try await tool.run(asked + ["--registry", registry.url, "--at", before]).expectSuccess()
            #expect(servedPast.standardOutput == past.standardOutput)
            let told = try await tool.shell(
                "curl -sf '\(registry.url)/v1/explain?channel=beta&package=shop&device=\(device)&network=metered&at=\(before)'"
            )
            let pastJSON = try await tool.run(asked + folder + ["--at", before, "--json"]).json().object()
            #expect(try told.json().object() == pastJSON)
        }
        // On the device itself the same conditions, and what it waits for now.
        let client = ["--store", "ann", "--channel", "beta", "--registry", registry.url]
        let facts = ["--device", "ann", "--network", "metered"]
        try await tool.run(["rollout", "complete", "shop", "--channel", "beta", "--yes"] + folder).expectSuccess()
        let update = try await tool.run(["client", "update"] + client + facts)
        #expect(
            update.standardOutput.contains("shop 1.1.0 is offered, but it waits for an unmetered network"), "\(update)")
        let own = try await tool.run(["client", "explain"] + client).expectSuccess()
        for part in [
            "shop on beta: the device takes 1.1.0, but not yet: it waits for an unmetered network\n",
            "    pass  group=testers      testers\n", "    WAIT  network unmetered  metered\n",
        ] {
            #expect(own.standardOutput.contains(part), "\(part): \(own)")
        }
    }

    @Test func `a share, a rollback and a withdrawal are told as they were`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop", "--quiet").expectSuccess()
        try await publish(tool, "1.0.0")
        try await publish(tool, "1.1.0", "--rollout", "10")
        var moments: [String] = []
        func mark() async throws {
            try await Task.sleep(for: .milliseconds(20))
            moments.append(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            try await Task.sleep(for: .milliseconds(20))
        }
        try await mark()
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "60").expectSuccess()
        try await mark()
        try await tool.run("rollback", "shop", "--channel", "beta").expectSuccess()
        try await publish(tool, "1.2.0")
        try await mark()
        try await tool.run("withdraw", "shop@1.2.0", "--reason", "broken", "--yes").expectSuccess()
        func told(_ at: String?) async throws -> String {
            try await tool.run(
                ["explain", "shop", "--channel", "beta", "--device", "d"] + (at.map { ["--at", $0] } ?? [])
            ).expectSuccess().standardOutput
        }
        #expect(try await told(moments[0]).contains("share 10 %"))
        #expect(try await told(moments[1]).contains("share 60 %"))
        let offered = try await told(moments[2])
        #expect(offered.contains("1.2.0: selected") && !offered.contains("1.1.0"), "\(offered)")
        let now = try await told(nil)
        #expect(!now.contains("1.1.0") && !now.contains("1.2.0") && now.contains("1.0.0: selected"), "\(now)")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
