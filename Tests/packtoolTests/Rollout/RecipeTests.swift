import Foundation
import PackJSON
import Testing

/// The recipes of docs/ROLLOUTS.md, line by line as they are written there, up to what a device has.
struct RecipeTests {
    /// The channel `stable` offers version 1.3.0 of some packages.
    private static func project(_ packages: [String] = ["shop"], in tool: Tool) async throws {
        for package in packages { try await build(package, "1.3.0", in: tool) }
        let zips = packages.map { "packages/\($0)-1.3.0.zip" }
        try await tool.run(["publish"] + zips + ["--channel", "stable", "--yes"]).expectSuccess()
    }

    private static func build(_ package: String, _ version: String, in tool: Tool) async throws {
        try tool.write([
            "\(package)/index.html": "<title>\(package) \(version)</title><script>packtool.confirm()</script>"
        ])
        try await tool.run(
            "build", package, "--package", package, "--package-version", version, "--out", "packages", "--quiet"
        ).expectSuccess()
    }

    /// What a device has after its next check, such as `admin 1.3.0, shop 1.4.0`.
    private static func installed(
        _ tool: Tool, device: String, registry: String = ".packtool/registry"
    ) async throws -> String {
        let update = try await tool.run(
            "client", "update", "--store", device, "--device", device, "--channel", "stable", "--registry", registry,
            "--root", ".packtool/root.json")
        try #require([0, 2].contains(update.exitCode), "\(update)")
        let status = try await tool.run("client", "status", "--store", device, "--json").json().object()
        return try status.object("packages").members.map {
            try "\($0.key) \($0.value.object($0.key).string("active"))"
        }.sorted().joined(separator: ", ")
    }

    /// The plan of the document, without its start, and without its hours where a test cannot wait for them.
    private static func plan(hours: Bool = true) throws -> String {
        let document = try String(
            contentsOf: Tool.project.appendingPathComponent("docs/ROLLOUTS.md"), encoding: .utf8)
        let plan = try #require(document.firstMatch(of: /```jsonc\n(\{[^`]*"steps"[^`]*)```/)).1
        let text = plan.split(separator: "\n").filter { !$0.contains("\"start\"") }.joined(separator: "\n")
        return hours ? text : text.replacing(/"hours": \{[\s\S]*?\},\n/, with: "")
    }

    @Test func `each recipe is tried here`() throws {
        let tried = [
            "a release over about a week", "a folder behind a CDN", "our own devices first",
            "two packages that change together", "CI proposes",
        ]
        let titles = try Recipe.titles()
        #expect(titles.count == tried.count && zip(titles, tried).allSatisfy { $0.hasPrefix($1) }, "\(titles)")
    }

    @Test func `a release over about a week, in office hours, by CI`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--app", "shop", "--quiet").expectSuccess()
        try await Self.project(in: tool)
        try await Self.build("shop", "1.4.0", in: tool)
        try tool.write(["careful.json": Self.plan()])
        let recipe = try Recipe("a release over about a week").commands
        try #require(recipe.count == 6, "\(recipe)")
        for line in recipe[..<2] { try await tool.follow(line) }
        let status = try await tool.follow(recipe[2])
        for part in ["stable: shop 1.4.0 is ", "1     1 %", "4     100 %", "200,000"] {
            #expect(status.standardOutput.contains(part), "\(part): \(status)")
        }
        // Nobody waits here for the hours.
        let advance = try await tool.run("rollout", "advance", "shop", "--channel", "stable", "--step", "2", "--yes")
        #expect(advance.standardOutput.contains("10 % of the devices in place of"), "\(advance)")
        let paused = try await tool.follow(recipe[3])
        #expect(
            paused.standardOutput.contains("10 % of the devices, as before: about 20,000 of 200,000"), "\(paused)")
        try await tool.follow(recipe[4])
        #expect(
            try await tool.run("rollout", "status", "shop").standardOutput.contains("is running, step 2 of 4: 10 %"))
        let device = try await Self.admitted(in: tool, to: "1.4.0")
        #expect(try await Self.installed(tool, device: device) == "shop 1.4.0")
        try await tool.follow(recipe[5], asks: "about 20,000 devices, leave shop 1.4.0 on stable and go to 1.3.0")
        #expect(try await Self.installed(tool, device: device) == "shop 1.3.0")
    }

    /// A device that the share of a version admits.
    private static func admitted(in tool: Tool, to version: String) async throws -> String {
        for number in 0..<200 {
            let why = try await tool.run("explain", "shop", "--channel", "stable", "--device", "device-\(number)")
            if why.standardOutput.hasPrefix("shop on stable: the device takes \(version)\n") {
                return "device-\(number)"
            }
        }
        throw Missing(what: "a device in the share")
    }

    private struct Missing: Error { let what: String }

    @Test(.onFolder) func `a folder behind a CDN, without a server`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--app", "shop", "--quiet").expectSuccess()
        try await Self.project(in: tool)
        try await Self.build("shop", "1.4.0", in: tool)
        try tool.write([
            "plan.json": #"{"start": "manual", "steps": [{"share": 1, "for": "1s"}, {"share": 100}]}"#,
            "bin/sync-to-cdn": "#!/bin/sh\nrm -rf cdn && cp -R .packtool/registry/view cdn\n",
        ])
        try await tool.shell("chmod +x bin/sync-to-cdn && bin/sync-to-cdn").expectSuccess()
        try await tool.run("publish", "packages/shop-1.4.0.zip", "--channel", "stable", "--rollout", "0")
            .expectSuccess()
        for command in [["rollout", "shop", "--plan", "plan.json"], ["rollout", "start", "shop"]] {
            try await tool.run(command + ["--channel", "stable", "--yes"]).expectSuccess()
        }
        try await Task.sleep(for: .seconds(1.2))
        #expect(try await Self.installed(tool, device: "hall", registry: "cdn") == "shop 1.3.0")
        // What cron runs, once: the step is due, and the CDN has it after that.
        let recipe = try Recipe("a folder behind a CDN").commands
        try #require(recipe.count == 1 && recipe[0].hasPrefix("*/5 * * * *  "), "\(recipe)")
        let line = String(recipe[0].dropFirst("*/5 * * * *  ".count))
            .replacing("/srv/registry", with: ".packtool/registry")
        let ran = try await tool.follow(line)
        #expect(ran.standardOutput == "step  shop 1.4.0 on stable: 1 % to 100 %: 1 % was there for 1s\n", "\(ran)")
        #expect(try await Self.installed(tool, device: "hall", registry: "cdn") == "shop 1.4.0")
        // Cron mails whatever is said, each five minutes.
        let idle = try await tool.follow(line)
        #expect(idle.standardOutput.isEmpty && idle.standardError.isEmpty, "\(idle)")
    }

    @Test func `our own devices first, then everybody`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--app", "shop", "--quiet").expectSuccess()
        try await Self.project(in: tool)
        try await Self.build("shop", "1.4.0", in: tool)
        try tool.write(["testers.txt": "tablet-7\ntablet-8\n"])
        let recipe = try Recipe("our own devices first").commands
        try #require(recipe.count == 4, "\(recipe)")
        for line in recipe[..<2] { try await tool.follow(line) }
        let why = try await tool.follow(recipe[2])
        #expect(why.standardOutput.hasPrefix("shop on stable: the device takes 1.4.0\n"), "\(why)")
        #expect(why.standardOutput.contains("pass  group=testers  testers"), "\(why)")
        #expect(try await Self.installed(tool, device: "tablet-7") == "shop 1.4.0")
        #expect(try await Self.installed(tool, device: "of-somebody") == "shop 1.3.0")
        // What the document warns of.
        let fewer = try await tool.run(
            "rollout", "shop", "--channel", "stable", "--audience", "all", "--percent", "10")
        #expect(fewer.exitCode == 3 && fewer.standardError.contains("leave it with their next check"), "\(fewer)")
        try await tool.follow(recipe[3])
        for device in ["tablet-7", "of-somebody"] {
            #expect(try await Self.installed(tool, device: device) == "shop 1.4.0")
        }
    }

    @Test func `two packages that change together, and the way back`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--app", "shop", "--quiet").expectSuccess()
        let packages = ["admin", "shop"]
        try tool.write([
            "packtool.json": #"{"package": "shop", "origins": ["https://m.example.com/"]}"#
        ])
        try await Self.project(packages, in: tool)
        for package in packages { try await Self.build(package, "1.5.0", in: tool) }
        try tool.write(["careful.json": Self.plan(hours: false)])
        let recipe = try Recipe("two packages that change together").commands
        try #require(recipe.count == 6, "\(recipe)")
        try await tool.follow(recipe[0])
        let planned = try await tool.follow(recipe[1])
        #expect(planned.standardOutput.contains("the same holds for its set: admin 1.5.0"), "\(planned)")
        let advance = ["rollout", "advance", "shop", "--channel", "stable", "--step", "3", "--yes"]
        try await tool.run(advance).expectSuccess()
        // Half of all devices have both, the others neither.
        let device = try await Self.admitted(in: tool, to: "1.5.0")
        #expect(try await Self.installed(tool, device: device) == "admin 1.5.0, shop 1.5.0")
        let other = try await Self.admitted(in: tool, to: "1.3.0")
        #expect(try await Self.installed(tool, device: other) == "admin 1.3.0, shop 1.3.0")

        let halted = try await tool.follow(recipe[2])
        #expect(halted.standardOutput.contains("about 100,000 of 200,000"), "\(halted)")
        #expect(halted.standardOutput.contains("the same holds for its set: admin 1.5.0"), "\(halted)")
        try await tool.follow(recipe[3])
        #expect(try await Self.installed(tool, device: device) == "admin 1.5.0, shop 1.5.0")
        let status = try await tool.run("client", "status", "--store", device)
        #expect(status.standardOutput.contains("switched off by the channel"), "\(status)")
        try await tool.follow(recipe[4], asks: "admin to 1.3.0 and shop to 1.3.0")
        try await tool.follow(recipe[5])
        for device in [device, other] {
            #expect(try await Self.installed(tool, device: device) == "admin 1.3.0, shop 1.3.0")
        }
        let after = try await tool.run("client", "status", "--store", device)
        #expect(!after.standardOutput.contains("switched off"), "\(after)")
    }

    @Test func `CI proposes, a release manager approves`() async throws {
        let live = try await LiveRegistry()
        let tool = live.tool
        try await Self.project(in: tool)
        try await Self.build("shop", "1.4.0", in: tool)
        try tool.write(["careful.json": Self.plan(hours: false)])
        let recipe = try Recipe("CI proposes").commands
        try #require(recipe.count == 9, "\(recipe)")
        // On the registry's machine.
        let made = try await tool.follow(recipe[0] + " --json").json().object().string("token")
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        let other = try await live.token("--release", "--channel", "stable")
        try await tool.follow(recipe[1])
        let ci = [
            "PACKTOOL_REGISTRY": live.url, "PACKTOOL_TOKEN": made, "PACKTOOL_KEY": key, "TITLE": "the new cart",
            "VERSION": "1.4.0",
        ]
        let manager = ["PACKTOOL_REGISTRY": live.url, "PACKTOOL_TOKEN": other]
        try await tool.follow(recipe[2], environment: ci)
        try await tool.follow(recipe[3], environment: ci)
        #expect(try await Self.installed(tool, device: "d", registry: live.url) == "shop 1.3.0")
        let changes = try await tool.follow(recipe[5], environment: manager)
        #expect(changes.standardOutput.contains("rollout plan of shop 1.4.0"), "\(changes)")
        let id = try #require(changes.standardOutput.firstMatch(of: /change ([0-9]+) on stable: rollout plan/)).1
        let own = try await tool.run("changes", "approve", String(id), environment: ci)
        expectClearError(own, naming: ["somebody else has to approve it"])
        let approved = try await tool.follow(recipe[6].replacing("17", with: id), environment: manager)
        #expect(approved.standardOutput.contains("approved by"), "\(approved)")
        // The server takes the plan's steps by itself; nobody waits for its days here.
        let running = try await tool.run("rollout", "status", "shop", environment: manager)
        #expect(running.standardOutput.contains("shop 1.4.0 is running, step 1 of 4: 1 %"), "\(running)")
        // Both stop it at once, with the approvals that are required.
        try await tool.follow(recipe[7], environment: manager)
        try await tool.follow(recipe[8], asks: "leave shop 1.4.0 on stable and go to 1.3.0", environment: manager)
        let after = try await tool.run("rollout", "status", "shop", environment: manager)
        #expect(after.standardOutput.contains("shop 1.4.0 is rolled back"), "\(after)")
        // The way without a plan, for the next version.
        try await Self.build("shop", "1.5.0", in: tool)
        let proposed = try await tool.follow(recipe[4], environment: ci)
        #expect(proposed.standardOutput.contains("offer shop 1.5.0 to 10 %"), "\(proposed)")
    }
}
