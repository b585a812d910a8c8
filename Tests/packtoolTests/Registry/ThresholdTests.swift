import AttackSupport
import Foundation
import PackJSON
import PackTrust
import Testing

/// Several people on several machines hold the root: a change goes from one to the next as a file.
struct ThresholdTests {
    /// One person's machine, with a key of their own and nothing of the others.
    private struct Person {
        let tool: Tool
        let name: String

        init(_ name: String) throws {
            self.name = name
            tool = try Tool()
        }

        /// Makes a key and gives its public half.
        func makeKey(_ key: String) async throws -> String {
            let made = try await tool.run("keys", "generate", key, "--json").expectSuccess()
            let json = try made.json().object().object("key")
            return try "\(json.string("scheme")):\(json.string("value"))"
        }

        /// Takes a file, signs it, and gives it back.
        func sign(_ file: URL, _ arguments: [String] = [], environment: [String: String] = [:]) async throws -> Outcome
        {
            let mine = tool.folder.appendingPathComponent("proposal.json")
            try? FileManager.default.removeItem(at: mine)
            try FileManager.default.copyItem(at: file, to: mine)
            let outcome = try await tool.run(["keys", "sign", "proposal.json"] + arguments, environment: environment)
            try Data(contentsOf: mine).write(to: file)
            return outcome
        }
    }

    private static func standing(_ tool: Tool, _ files: String...) async throws -> [Int] {
        let verified = try await tool.run(["keys", "verify"] + files + ["--json"])
        #expect([0, 2].contains(verified.exitCode), "\(verified)")
        let json = try verified.json().object()
        #expect(try json.bool("complete") == (verified.exitCode == 0))
        return try json.array("needs").map { try $0.object().integer("valid") }
    }

    private static func threshold(_ tool: Tool, of role: String) async throws -> (needed: Int, keys: [String]) {
        let listed = try await tool.run("keys", "list", "--json").expectSuccess()
        let roles = try listed.json().object().array("roles").map { try $0.object() }
        let found = try #require(try roles.first { try $0.string("role") == role })
        return try (found.integer("threshold"), found.array("keys").map { try $0.object().string("id") })
    }

    @Test func `a root of 2 of 3 is made, signed on three machines, and then changed by two of them`() async throws {
        let first = try Person("ann")
        let tool = first.tool
        try await tool.run("init", "--template", "config").expectSuccess()
        let others = try [Person("bob"), Person("eve")]
        let (bob, eve) = try await (others[0].makeKey("root"), others[1].makeKey("root"))
        let file = tool.folder.appendingPathComponent("root.json")

        try await tool.run(
            "keys", "propose", "root", "--add", bob, "--add", eve, "--threshold", "2", "--out", "root.json"
        ).expectSuccess()
        #expect(try await Self.standing(tool, "root.json") == [0, 0])
        try await tool.run("keys", "sign", "root.json").expectSuccess()
        #expect(try await Self.standing(tool, "root.json") == [1, 1])
        let early = try await tool.run("keys", "submit", "root.json")
        #expect(early.exitCode == 1 && early.standardError.contains("1 of the keys that may sign it; 2 are needed"))
        _ = try await others[0].sign(file).expectSuccess()
        #expect(try await Self.standing(tool, "root.json") == [1, 2])
        try await tool.run("keys", "submit", "root.json").expectSuccess()
        #expect(try await Self.threshold(tool, of: "root").needed == 2)

        // Where the registry's own key is not, nothing is begun.
        let online = ".packtool/registry/keys/online.json"
        try await tool.shell("mv \(online) online.aside").expectSuccess()
        let without = try await tool.run("keys", "rotate", "owner")
        #expect(without.exitCode == 1 && without.standardError.contains("nothing was changed"), "\(without)")
        // Nor where another registry's is.
        let other = try Tool()
        try await other.run("init", "--template", "config").expectSuccess()
        let listing = try tool.listing(".packtool/keys")
        try await tool.shell("cp -p '\(other.folder.path)/\(online)' \(online)").expectSuccess()
        for name in ["owner", "publisher", "root"] {
            let foreign = try await tool.run("keys", "rotate", name)
            #expect(foreign.exitCode == 1 && foreign.standardError.contains("another registry's"), "\(foreign)")
            #expect(foreign.standardError.contains("nothing was changed"), "\(foreign)")
        }
        #expect(try tool.listing(".packtool/keys") == listing)
        try await tool.shell("mv online.aside \(online)").expectSuccess()

        // One person alone changes nothing any more.
        let alone = try await tool.run("keys", "rotate", "owner")
        #expect(alone.exitCode == 1, "\(alone)")
        #expect(alone.standardError.contains("root is signed by 1 of the keys that may sign it; 2 are needed"))
        #expect(try await Self.threshold(tool, of: "root").keys.count == 3)

        // Two of them remove the third, each on a copy of their own.
        let evesID = try #require(
            await Self.threshold(tool, of: "root").keys.last)
        try await tool.run("keys", "propose", "root", "--remove", evesID, "--out", "next.json").expectSuccess()
        try await tool.shell("cp next.json copy.json").expectSuccess()
        try await tool.run("keys", "sign", "next.json").expectSuccess()
        _ = try await others[0].sign(tool.folder.appendingPathComponent("copy.json")).expectSuccess()
        #expect(try await Self.standing(tool, "next.json") == [1, 1])
        #expect(try await Self.standing(tool, "next.json", "copy.json") == [2, 2])
        try await tool.run("keys", "submit", "next.json", "copy.json").expectSuccess()
        let after = try await Self.threshold(tool, of: "root")
        #expect(after.needed == 2 && after.keys.count == 2 && !after.keys.contains(evesID))
        // What lost its place is no longer the next version.
        #expect(try await tool.run("keys", "submit", "next.json").exitCode == 1)
    }

    @Test func `two owners must sign targets, and a new online key comes without an app release`() async throws {
        let scene = try await AttackScene()
        let tool = scene.tool
        let bob = try Person("bob")
        let key = try await bob.makeKey("owner")
        // The second owner is named, signs what is there, and only then are two needed.
        for step in [["owner", "--add", key], ["targets"], ["owner", "--threshold", "2"]] {
            try await tool.run(["keys", "propose"] + step + ["--out", "step.json"]).expectSuccess()
            try await tool.run("keys", "sign", "step.json").expectSuccess()
            if step == ["targets"] {
                _ = try await bob.sign(tool.folder.appendingPathComponent("step.json")).expectSuccess()
            }
            try await tool.run("keys", "submit", "step.json").expectSuccess()
        }
        #expect(try await Self.threshold(tool, of: "targets").needed == 2)
        let alone = try await tool.run("keys", "delegate", "blog")
        #expect(alone.exitCode == 1, "\(alone)")
        try await tool.run("keys", "delegate", "blog", "--out", "blog.json").expectSuccess()
        try await tool.run("keys", "sign", "blog.json").expectSuccess()
        _ = try await bob.sign(tool.folder.appendingPathComponent("blog.json")).expectSuccess()
        try await tool.run("keys", "submit", "blog.json").expectSuccess()

        let before = try await Self.threshold(tool, of: "timestamp").keys
        try await tool.run("keys", "propose", "online", "--out", "online.json").expectSuccess()
        try await tool.run("keys", "sign", "online.json").expectSuccess()
        try await tool.run("keys", "sign", "online-targets.json").expectSuccess()
        _ = try await bob.sign(tool.folder.appendingPathComponent("online-targets.json")).expectSuccess()
        try await tool.run("keys", "submit", "online.json").expectSuccess()
        try await tool.run("keys", "submit", "online-targets.json").expectSuccess()
        let after = try await Self.threshold(tool, of: "timestamp").keys
        #expect(Set(before).isDisjoint(with: after))
        #expect(try await Self.threshold(tool, of: "channels").keys == after)
        let kept = try JSONValue(parsing: Array(tool.read(".packtool/registry/keys/online.json"))).object()
        #expect(try kept.array("keys").count == 1)
        try await scene.publish("1.1.0")
        try await scene.expectUpdate(from: scene.serve(), to: "1.1.0")
    }

    /// From a file, an encrypted file, a variable, a reference in a variable, and a program that keeps the key to itself.
    @Test(arguments: ["file", "passphrase", "variable", "reference", "command"])
    func `a key is taken from wherever it is`(source: String) async throws {
        let scene = try await AttackScene()
        let tool = scene.tool
        var environment: [String: String] = [:]
        let key = ".packtool/keys/publisher.pem"
        let pem = String(decoding: try tool.read(key), as: UTF8.self)
        switch source {
        case "passphrase":
            environment["PACKTOOL_PASSPHRASE"] = "correct horse"
            try await tool.run(["keys", "rotate", "publisher"], environment: environment).expectSuccess()
            let sealed = try tool.read(".packtool/keys/publisher.json")
            #expect(!String(decoding: sealed, as: UTF8.self).contains("PRIVATE KEY"))
        case "variable", "reference":
            environment = source == "variable" ? ["PACKTOOL_KEY": pem] : ["PACKTOOL_KEY": "env:OTHER", "OTHER": pem]
            try FileManager.default.removeItem(at: tool.folder.appendingPathComponent(key))
        case "command":
            // The stand-in for the client of a KMS: it signs stdin, and shows nothing but the public half.
            try tool.write([
                "kms": """
                #!/bin/sh
                cat > "$0.message"
                if [ "$1" = public-key ]; then exec openssl pkey -in "$0.pem" -pubout; fi
                exec openssl pkeyutl -sign -rawin -inkey "$0.pem" -in "$0.message"
                """
            ])
            try await tool.shell("chmod +x kms && mv \(key) kms.pem").expectSuccess()
            environment["PACKTOOL_KEY"] = "command:\(tool.folder.path)/kms"
        default: break
        }
        try tool.write(["dist/index.html": AttackScene.page("1.1.0")])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.1.0").expectSuccess()
        let publish = ["publish", "packages/shop-1.1.0.zip", "--channel", "beta"]
        if source == "passphrase" {
            let locked = try await tool.run(publish)
            #expect(locked.exitCode == 1 && locked.standardError.contains("PACKTOOL_PASSPHRASE"), "\(locked)")
            let wrong = try await tool.run(publish, environment: ["PACKTOOL_PASSPHRASE": "wrong"])
            #expect(wrong.exitCode == 1 && wrong.standardError.contains("passphrase"), "\(wrong)")
        }
        try await tool.run(publish, environment: environment).expectSuccess()
        try await scene.expectUpdate(from: ".packtool/registry", to: "1.1.0")
    }

    @Test func `of two publishers at once one wins, and the other succeeds by itself`() async throws {
        let scene = try await AttackScene()
        let tool = scene.tool
        for version in ["1.1.0", "1.2.0", "1.3.0"] {
            try tool.write(["dist/index.html": AttackScene.page(version)])
            try await tool.run("build", "dist", "--package", "shop", "--package-version", version).expectSuccess()
        }
        let url = try await scene.serve()
        let token = try await tool.run("token", "create", "ci", "--publish", "--release", "--json").expectSuccess()
        let environment = ["PACKTOOL_TOKEN": try token.json().object().string("token"), "PACKTOOL_REGISTRY": url]
        let running = try ["1.1.0", "1.2.0", "1.3.0"].map { version in
            try tool.start(
                // One that comes late would be asked whether it means to offer the older version.
                ["publish", "packages/shop-\(version).zip", "--channel", "dev", "--new-channel", "--yes"],
                environment: environment)
        }
        for publisher in running { try await publisher.outcome().expectSuccess() }
        let role = try await OnlineThief(scene, mirror: scene.mirror()).newest("package.shop", as: TargetsMetadata.self)
        #expect(role.body.targets.names.count == 4)
    }
}
