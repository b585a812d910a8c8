import AttackSupport
import Foundation
import PackJSON
import PackTrust
import Testing

/// Every command of `docs/OPERATIONS.md`, executed as it stands there, in the situation that it is for.
struct OperationsTests {
    /// The command blocks below a heading, with the machine that each is for.
    private static func steps(_ heading: String) throws -> [(machine: String, script: String)] {
        let document = try String(
            contentsOf: Tool.project.appendingPathComponent("docs/OPERATIONS.md"), encoding: .utf8)
        let section = try #require(
            document.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") },
            "there is no section \(heading)")
        return section.matches(of: /```sh (\w+)\n(.*?)```/.dotMatchesNewlines()).map {
            (String($0.output.1), String($0.output.2))
        }
    }

    /// Carries out a section, or some of its steps; a file with a proposal goes along from machine to machine.
    private static func carryOut(
        _ heading: String, steps range: Range<Int>? = nil, on machines: [String: Tool],
        environment: [String: String] = [:]
    ) async throws {
        let steps = try steps(heading)
        try #require(!steps.isEmpty)
        var previous: Tool?
        for step in steps[range ?? steps.indices] {
            let tool = try #require(machines[step.machine])
            if let previous, previous !== tool {
                try await tool.shell("cp '\(previous.folder.path)'/*.json . 2> /dev/null || true")
            }
            var environment = environment
            let tools = Tool.executable.deletingLastPathComponent().path
            environment["PATH"] = "\(tools):\(tool.environment["PATH"] ?? "")"
            let outcome = try await tool.shell(step.script, environment: environment)
            try #require(outcome.exitCode == 0, "\(heading): \(step.script)\n\(outcome)")
            previous = tool
        }
    }

    private static func keyIDs(_ tool: Tool, of role: String) async throws -> [String] {
        let listed = try await tool.run("keys", "list", "--json").expectSuccess()
        let roles = try listed.json().object().array("roles").map { try $0.object() }
        let found = try #require(try roles.first { try $0.string("role") == role })
        return try found.array("keys").map { try $0.object().string("id") }
    }

    private static func makeKey(_ name: String, on tool: Tool) async throws -> String {
        let made = try await tool.run("keys", "generate", name, "--json").expectSuccess()
        let key = try made.json().object().object("key")
        return try "\(key.string("scheme")):\(key.string("value"))"
    }

    private static func build(_ tool: Tool, _ version: String) async throws -> String {
        try tool.write(["dist/index.html": AttackScene.page(version)])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", version).expectSuccess()
        return "packages/shop-\(version).zip"
    }

    @Test func `a key in an HSM publishes as the document has it`() async throws {
        let registry = try await LiveRegistry()
        let hsm = try Tool()
        try hsm.write([
            "softhsm2.conf": "directories.tokendir = \(hsm.folder.path)/tokens\n", "tokens/.keep": "",
            ".packtool/root.json": String(decoding: registry.tool.read(".packtool/root.json"), as: UTF8.self),
        ])
        hsm.environment.merge([
            "SOFTHSM2_CONF": "\(hsm.folder.path)/softhsm2.conf", "PKCS11_MODULE": "/usr/lib/softhsm/libsofthsm2.so",
            "PKCS11_TOKEN": "ci", "PKCS11_LABEL": "publisher", "PKCS11_PIN": "1234", "PACKTOOL_REGISTRY": registry.url,
            "PACKTOOL_TOKEN": try await registry.token("--publish", "--release"),
        ]) { $1 }
        try await hsm.shell("softhsm2-util --init-token --free --label ci --pin 1234 --so-pin 5678").expectSuccess()
        _ = try await Self.build(hsm, "1.0.0")
        let section = "A publisher's key in a KMS or HSM"
        try await Self.carryOut(section, steps: 0..<1, on: ["hsm": hsm])
        try registry.tool.write(["publisher.pub.pem": String(decoding: hsm.read("publisher.pub.pem"), as: UTF8.self)])
        try await Self.carryOut(section, steps: 1..<3, on: ["owner": registry.tool, "hsm": hsm])
        let verified = try await registry.tool.run(
            "verify", "shop@1.0.0", "--registry", registry.folder
        ).expectSuccess()
        #expect(verified.standardOutput.contains("valid, shop 1.0.0"), "\(verified)")
        let status = try await registry.tool.run("status", "--channel", "beta").expectSuccess()
        #expect(status.standardOutput.contains("1.0.0"), "\(status)")
        // Without the HSM nothing is signed.
        try hsm.write(["softhsm2.conf": "directories.tokendir = \(hsm.folder.path)/nowhere\n"])
        _ = try await Self.build(hsm, "1.1.0")
        let outcome = try await hsm.run(
            "publish", "packages/shop-1.1.0.zip", "--channel", "beta",
            environment: ["PACKTOOL_KEY": "command:sh sign-pkcs11.sh"])
        expectClearError(outcome, naming: ["sign-pkcs11.sh", "PKCS11_TOKEN"])
    }

    @Test func `an owner requires provenance as the document has it`() async throws {
        let scene = try await AttackScene()
        try await Self.carryOut("How versions were built", on: ["owner": scene.tool])
        let zip = try await Self.build(scene.tool, "1.1.0")
        let refused = try await scene.tool.run("publish", zip, "--channel", "beta")
        expectClearError(refused, naming: ["--provenance"])
        let unknown = try await scene.tool.run("publish", zip, "--channel", "beta", "--provenance")
        expectClearError(unknown, naming: ["--source URL", "--commit COMMIT"])
        let job = [
            "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_SHA": "5b1c9a7e2f04",
        ]
        try await scene.tool.run("publish", zip, "--channel", "beta", "--provenance", environment: job).expectSuccess()
    }

    @Test func `CI systems are trusted as the document has it`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        try await Self.carryOut("CI without a token", on: ["owner": tool])
        let trusts = try await tool.run("token", "list", "--json").expectSuccess().json().object().array("tokens")
        let issuers = try trusts.map { try $0.object().object("trust").string("issuer") }
        #expect(Set(issuers) == ["https://token.actions.githubusercontent.com", "https://gitlab.com"])
    }

    @Test func `a stolen token is worth nothing after the steps for it`() async throws {
        let scene = try await AttackScene()
        let url = try await scene.serve()
        let made = try await scene.tool.run("token", "create", "ci", "--publish", "--release", "--json").expectSuccess()
        let token = try made.json().object()
        let publish = ["publish", try await Self.build(scene.tool, "1.1.0"), "--channel", "beta", "--registry", url]
        let environment = ["PACKTOOL_TOKEN": try token.string("token")]
        try await Self.carryOut(
            "A publisher's token was stolen", on: ["owner": scene.tool], environment: ["STOLEN": token.string("id")])
        let refused = try await scene.tool.run(publish, environment: environment)
        #expect(refused.exitCode == 1 && refused.standardError.contains("token"), "\(refused)")
    }

    @Test func `a stolen publisher's key signs nothing after the steps for it`() async throws {
        let scene = try await AttackScene(.second)
        let thief = try Tool()
        try thief.write([
            ".packtool/root.json": String(decoding: scene.tool.read(".packtool/root.json"), as: UTF8.self),
            "stolen.pem": String(decoding: scene.tool.read(".packtool/keys/publisher.pem"), as: UTF8.self),
        ])
        try await thief.shell("chmod 600 stolen.pem").expectSuccess()
        try await scene.expectUpdate(from: ".packtool/registry", to: "1.1.0")
        try await Self.carryOut(
            "A publisher's key was stolen", on: ["owner": scene.tool], environment: ["EVIL": "shop@1.1.0"])
        // The device leaves the thief's version.
        try await scene.expectUpdate(from: ".packtool/registry", to: "1.0.0")
        let made = try await scene.tool.run("token", "create", "x", "--publish", "--release", "--json").expectSuccess()
        let environment = [
            "PACKTOOL_TOKEN": try made.json().object().string("token"), "PACKTOOL_KEY": "file:stolen.pem",
        ]
        let evil = ["publish", try await Self.build(thief, "6.6.6"), "--channel", "beta"]
        let refused = try await thief.run(evil + ["--registry", scene.serve()], environment: environment)
        expectClearError(refused, naming: ["may not sign shop"])
        #expect(try await !scene.tool.run("status").expectSuccess().standardOutput.contains("6.6.6"))
    }

    @Test func `a lost publisher's key is replaced, and the team publishes on`() async throws {
        let scene = try await AttackScene()
        let lost = try #require(try await Self.keyIDs(scene.tool, of: "package.shop").first)
        try await scene.tool.shell("rm .packtool/keys/publisher.pem").expectSuccess()
        let zip = try await Self.build(scene.tool, "1.1.0")
        let without = try await scene.tool.run("publish", zip, "--channel", "beta")
        expectClearError(without, naming: ["there is no key to sign with"])
        try await Self.carryOut(
            "A publisher's key was lost", on: ["owner": scene.tool],
            environment: ["LOST": String(lost.prefix(16)), "PACKAGE": "shop"])
        #expect(try await !Self.keyIDs(scene.tool, of: "package.shop").contains(lost))
        try await scene.publish("1.1.0")
        try await scene.expectUpdate(from: ".packtool/registry", to: "1.1.0")
    }

    @Test(.onFolder) func `a stolen registry is worth nothing after the steps for it`() async throws {
        let scene = try await AttackScene()
        let tool = scene.tool
        try await Self.carryOut("Backup and restore", steps: 0..<1, on: ["owner": tool])
        let stolen = try await tool.run("token", "create", "ci", "--publish", "--json").expectSuccess()
        // Published after the backup, seen by the device; then the thief drives versions up.
        try await scene.publish("1.1.0")
        let thief = try OnlineThief(scene, mirror: try await scene.mirror())
        try thief.seal(jump: 1_000)
        try await scene.expectUpdate(from: thief.mirror.url, to: "1.1.0")

        try await tool.shell("rm -rf .packtool/registry").expectSuccess()
        try await Self.carryOut("Backup and restore", steps: 1..<2, on: ["owner": tool])
        try await scene.expectRefusal(from: ".packtool/registry", saying: ["would go back"])
        try await Self.carryOut("The registry was stolen, or somebody else was on it", on: ["owner": tool])
        // What is newer than the backup is published again, and the device goes on.
        try await scene.publish("1.2.0")
        try await scene.expectUpdate(from: ".packtool/registry", to: "1.2.0")
        try await scene.expectRefusal(from: thief.mirror.url, saying: ["timestamp is signed by 0 of the keys"])
        let token = try stolen.json().object().string("token")
        let refused = try await tool.run(
            ["token", "list", "--registry", scene.serve()], environment: ["PACKTOOL_TOKEN": token])
        #expect(refused.exitCode == 1, "\(refused)")
    }

    @Test func `a lost root key is replaced by the others`() async throws {
        let scene = try await AttackScene()
        let (ann, bob, eve) = try (Tool(), Tool(), Tool())
        let keys = try await [Self.makeKey("root", on: ann), Self.makeKey("root", on: bob)]
        try await Self.carryOut(
            "Making the root safer", on: ["owner": scene.tool, "other": ann],
            environment: ["ANN": keys[0], "BOB": keys[1]])
        let before = try await Self.keyIDs(scene.tool, of: "root")
        #expect(before.count == 3)
        // Bob's key is lost.
        let lost = try #require(before.last)
        try await Self.carryOut(
            "A root key was lost, and enough others are there", on: ["owner": scene.tool, "other": ann],
            environment: ["LOST": lost, "NEW": try await Self.makeKey("root", on: eve)])
        let after = try await Self.keyIDs(scene.tool, of: "root")
        #expect(after.count == 3 && !after.contains(lost))
        try await scene.publish("1.1.0")
        try await scene.expectUpdate(from: scene.serve(), to: "1.1.0")
    }

    @Test func `the routine replaces every key, and a device that was off meanwhile follows`() async throws {
        let scene = try await AttackScene()
        let roles = ["root", "targets", "snapshot", "timestamp", "channels", "package.shop"]
        var before: [String: [String]] = [:]
        for role in roles { before[role] = try await Self.keyIDs(scene.tool, of: role) }
        try await Self.carryOut("Routine", on: ["owner": scene.tool])
        for role in roles {
            #expect(try await Set(Self.keyIDs(scene.tool, of: role)).isDisjoint(with: before[role] ?? []), "\(role)")
        }
        try await scene.publish("1.1.0")
        try await scene.expectUpdate(from: scene.serve(), to: "1.1.0")
    }

    @Test(.onFolder) func `a restored backup serves what was published before it`() async throws {
        let scene = try await AttackScene(.second)
        try await Self.carryOut("Backup and restore", steps: 0..<1, on: ["owner": scene.tool])
        let content = { (tool: Tool) in
            try tool.listing(".packtool/registry/view").filter { !$0.key.hasPrefix("metadata/") }
        }
        let before = try content(scene.tool)
        try await scene.tool.shell("rm -rf .packtool/registry").expectSuccess()
        try await Self.carryOut("Backup and restore", steps: 1..<3, on: ["owner": scene.tool])
        let after = try content(scene.tool).filter { !$0.key.hasPrefix("patches/") && !$0.key.hasPrefix("packages/") }
        #expect(Set(after.keys).isSubset(of: before.keys) && after.keys.contains { $0.hasPrefix("objects/") })
        #expect(after.allSatisfy { before[$0.key] == $0.value })
        try await scene.expectUpdate(from: scene.serve(), to: "1.1.0")
    }
}
