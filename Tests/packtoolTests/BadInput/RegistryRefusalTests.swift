import Foundation
import PackJSON
import TestSupport
import Testing

/// Registries that cannot be reached, written or entered, through the commands that need them.
struct RegistryRefusalTests {
    private static let page = ["index.html": "<!doctype html><title>Shop</title>"]

    /// A project with a package that could be published.
    private static func project() async throws -> Tool {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><title>Shop</title>"])
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        let built = try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0")
        #expect(built.exitCode == 0, "\(built)")
        return tool
    }

    static let commands: [[String]] = [
        ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"], ["status"],
        ["promote", "shop", "--from", "beta", "--to", "stable"],
        ["rollout", "shop", "--channel", "beta", "--percent", "5"], ["rollback", "shop", "--channel", "beta"],
        ["withdraw", "shop@1.0.0", "--reason", "test"], ["token", "list"], ["token", "create", "ci"],
        ["inspect", "shop@1.0.0"], ["client", "update", "--store", "device", "--channel", "beta"],
    ]

    @Test(arguments: commands)
    func `a server that cannot be reached is named`(arguments: [String]) async throws {
        let tool = try await Self.project()
        let before = try tool.listing()
        let outcome = try await tool.run(arguments + ["--registry", "http://127.0.0.1:1"])
        expectClearError(outcome, naming: ["127.0.0.1:1"])
        // A device may note in its own log that the check failed; nothing else is written.
        #expect(try tool.listing().filter { !$0.key.hasPrefix("device/") } == before)
        #expect(try tool.listing("device").keys.filter { $0.hasPrefix("objects") || $0.hasPrefix("unzip") } == [])
    }

    @Test func `a server that starts meanwhile is waited for`() async throws {
        let registry = try await LiveRegistry()
        let token = try await registry.token("--observe")
        let port = try LoopbackPort.free(1)[0]
        let status = try registry.tool.start(
            "status", "--registry", "http://127.0.0.1:\(port)",
            environment: ["PACKTOOL_WAIT": "120", "PACKTOOL_TOKEN": token])
        #expect(try await status.line(holding: "cannot be reached")?.hasSuffix(": trying again for 120 s") == true)
        registry.stop()
        let server = try registry.tool.start("serve", "--port", "\(port)")
        let outcome = await status.outcome()
        #expect(outcome.exitCode == 0 && !outcome.standardOutput.isEmpty, "\(outcome)")
        server.kill(SIGTERM)
        _ = await server.outcome()
        let wrong = try await registry.tool.run(
            "status", "--registry", registry.url, environment: ["PACKTOOL_WAIT": "soon"])
        expectClearError(wrong, naming: ["PACKTOOL_WAIT is \"soon\""])
    }

    @Test(arguments: commands.filter { $0[0] != "client" })
    func `a folder without a registry is named, with the way to make one`(arguments: [String]) async throws {
        let tool = try await Self.project()
        try await expectRefusal(
            tool, arguments: arguments + ["--registry", "nowhere"], naming: ["nowhere", "packtool init"])
    }

    @Test func `a version that exists with other content is refused, the same content again is not`() async throws {
        let tool = try await Self.project()
        let publish = ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"]
        #expect(try await tool.run(publish).exitCode == 0)
        let view = try tool.listing(".packtool/registry/view")
        let again = try await tool.run(publish)
        #expect(again.exitCode == 0 || again.exitCode == 2, "\(again)")

        try tool.write(["dist/index.html": "<!doctype html><title>Another shop</title>"])
        let build = ["build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "other"]
        #expect(try await tool.run(build).exitCode == 0)
        let other = try await tool.run("publish", "other/shop-1.0.0.zip", "--channel", "beta")
        expectClearError(other, naming: ["shop", "1.0.0", "other content"])
        #expect(try tool.listing(".packtool/registry/view").keys == view.keys)
    }

    @Test func `a wrong, an expired and a too narrow token are refused, and never shown`() async throws {
        let registry = try await LiveRegistry()
        let tool = try await Self.project()
        try await registry.publish("shop", "0.9.0", files: Self.page)
        let root = registry.tool.folder.appendingPathComponent(".packtool").path
        try await tool.shell("cp -r '\(root)/root.json' '\(root)/keys' .packtool/")
        // The server makes its patches and downloads meanwhile.
        func published() throws -> [String: Data] {
            try registry.tool.listing(".packtool/registry/view").filter {
                !$0.key.hasPrefix("patches/") && !$0.key.hasPrefix("packages/")
            }
        }
        let before = try published()
        let publish = ["publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--registry", registry.url]

        let narrow = try await registry.token("--publish", "--package", "cart")
        let otherChannel = try await registry.token("--publish", "--release", "--channel", "stable")
        let revoked = try await registry.token("--admin")
        let list = try await registry.tool.run("token", "list", "--json").json().object().array("tokens")
        for token in try list.map({ try $0.object() }) where try token.object("scope").array("actions") == ["admin"] {
            let revocation = try await registry.tool.run("token", "revoke", token.string("id"))
            #expect(revocation.exitCode == 0, "\(revocation)")
        }
        let expired = try await registry.tool.shell(
            "faketime -f -3d '\(Tool.executable.path)' token create old --publish --days 1"
        ).standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        let damaged = String(narrow.dropLast()) + (narrow.hasSuffix("a") ? "b" : "a")
        for (token, words) in [
            ("", ["token"]), ("ptk_nonsense", ["token"]), (damaged, ["token"]), (revoked, ["token"]),
            (expired, ["token", "expired"]), (narrow, ["shop"]),
        ] {
            let outcome = try await tool.run(publish, environment: ["PACKTOOL_TOKEN": token])
            expectClearError(outcome, naming: words)
            if !token.isEmpty { #expect(!outcome.description.contains(token), "\(outcome)") }
            #expect(try published() == before, "\(words)")
        }
        let outcome = try await tool.run(publish, environment: ["PACKTOOL_TOKEN": otherChannel])
        expectClearError(outcome, naming: ["beta"])
    }

    @Test(arguments: [
        ("127.0.0.1", false), ("localhost", false), ("[::1]", false), ("127.0.0.1.packtool.invalid", true),
        ("127.packtool.invalid", true), ("127.+1.0.0", true),
    ])
    func `a token that travels unencrypted to another machine is warned of`(host: String, isWarned: Bool) async throws {
        let outcome = try await Tool().run(
            "status", "--registry", "http://\(host):1", environment: ["PACKTOOL_TOKEN": "ptk_nonsense"])
        #expect(outcome.exitCode != 0)
        #expect(outcome.standardError.contains("travels unencrypted") == isWarned, "\(outcome)")
    }

    @Test(.onFolder) func `a port in use is named, with what to do`() async throws {
        let registry = try await LiveRegistry()
        let port = try #require(registry.url.split(separator: ":").last.map(String.init))
        try await registry.tool.shell("cp -r .packtool/registry second")
        let second = try await registry.tool.run("serve", "--port", port, "--registry", "second")
        expectClearError(second, naming: [port, "--port"])
    }

    @Test(.onFolder, .enabled(if: try OwnFileSystem.isAllowed, "TESTS_WITHOUT_MOUNTS=1"))
    func `a registry that runs full says so, and goes on when there is room`() async throws {
        let tool = try await Self.project()
        try await tool.shell("head -c 3000000 /dev/urandom > dist/film.mp4")
        let build = ["build", "dist", "--package", "shop", "--package-version", "1.1.0"]
        #expect(try await tool.run(build).exitCode == 0)
        // A file system of 2 MB under the registry, in a mount namespace of its own.
        let script = """
            cat > inside.sh <<'END'
            set -u
            mkdir small && mount -t tmpfs -o size=2m tmpfs small
            cp -r .packtool/registry small/registry
            packtool='\(Tool.executable.path)'
            "$packtool" publish packages/shop-1.0.0.zip --channel beta --registry small/registry || exit 3
            find small/registry/view -type f -exec sha256sum {} + | sort > before
            "$packtool" publish packages/shop-1.1.0.zip --channel beta --registry small/registry
            code=$?
            find small/registry/view -type f -exec sha256sum {} + | sort > after
            cmp before after || exit 4
            mount -o remount,size=64m small
            "$packtool" publish packages/shop-1.1.0.zip --channel beta --registry small/registry >/dev/null || exit 5
            "$packtool" verify shop@1.1.0 --registry small/registry >/dev/null || exit 6
            exit $((code == 0 ? 7 : 100 + code))
            END
            unshare -rm bash inside.sh
            """
        let outcome = try await tool.shell(script)
        expectClearError(outcome, naming: ["space"], exitCode: 101)
    }
}
