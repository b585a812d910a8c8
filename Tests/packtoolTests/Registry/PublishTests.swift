import Foundation
import PackJSON
import Testing

/// What `packtool publish` takes, offers and leaves alone.
struct PublishTests {
    private static let page = "<!doctype html><title>Shop</title>"

    private static func build(_ tool: Tool, _ package: String, _ version: String, _ extra: String...) async throws {
        // A registry is made once, by init: of the later ones nothing is left to do.
        if try tool.listing(".packtool").isEmpty {
            let started = try await tool.run("init", "--template", "config", "--quiet")
            try #require(started.exitCode == 0, "\(started)")
        }
        try tool.write(["dist/\(package)/index.html": page + version])
        let outcome = try await tool.run(
            ["build", "dist/\(package)", "--package", package, "--package-version", version] + extra)
        try #require(outcome.exitCode == 0, "\(outcome)")
    }

    /// `PACKAGE VERSION on CHANNEL` for each newest release.
    private static func offers(_ tool: Tool) async throws -> [String] {
        let channels = try await tool.run("status", "--json").json().object().object("channels")
        return try channels.members.flatMap { channel in
            try channel.value.object().members.map { package in
                let releases = try package.value.array()
                return try "\(package.key) \(releases[0].object().string("version")) on \(channel.key)"
            }
        }.sorted()
    }

    @Test func `of a folder with many builds the highest version of each package is published and offered`()
        async throws
    {
        let tool = try Tool()
        for version in ["1.8.0", "1.9.0", "1.10.0"] { try await Self.build(tool, "shop", version) }
        try await Self.build(tool, "cart", "2.0.0")
        let outcome = try await tool.run("publish", "--channel", "beta", "--json")
        #expect(outcome.exitCode == 0, "\(outcome)")
        let published = try outcome.json().object().array("published").map { try $0.object().string("version") }
        #expect(published.sorted() == ["1.10.0", "2.0.0"])
        #expect(try await Self.offers(tool) == ["cart 2.0.0 on beta", "shop 1.10.0 on beta"])

        let named = try await tool.run(
            "publish", "packages/shop-1.10.0.zip", "packages/shop-1.8.0.zip", "packages/shop-1.9.0.zip", "--channel",
            "stable", "--new-channel")
        #expect(named.exitCode == 0, "\(named)")
        let all = ["cart 2.0.0 on beta", "shop 1.10.0 on beta", "shop 1.10.0 on stable"]
        #expect(try await Self.offers(tool) == all, "an older version beside it is published and not offered")
    }

    @Test func `bundles that the newest versions pin go along, older ones do not`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        for version in ["1.0.0", "1.1.0"] {
            let vendor = String(repeating: "export const shared = '\(version)';\n", count: 400)
            for package in ["shop", "cart"] {
                try tool.write(["\(package)/index.html": Self.page, "\(package)/vendor.js": vendor])
            }
            let outcome = try await tool.run(
                "build", "shop", "cart", "--package", "shop", "--package", "cart", "--package-version", version,
                "--shared", "auto")
            try #require(outcome.exitCode == 0, "\(outcome)")
        }
        let outcome = try await tool.run("publish", "--channel", "beta", "--json")
        #expect(outcome.exitCode == 0, "\(outcome)")
        let published = try outcome.json().object().array("published").map { try $0.object().string("version") }
        #expect(published.count == 3 && published.filter { $0 == "1.1.0" }.count == 2, "\(published)")
    }

    @Test func `a channel that is new is said so, once`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        let publish = ["publish", "--channel", "betta"]
        #expect(try await tool.run(publish).standardError.contains("the channel betta is new"))
        #expect(try await !tool.run(publish).standardError.contains("is new"))
        let status = try await tool.run("status", "--channel", "beta")
        expectClearError(status, naming: ["beta", "betta"])
    }

    @Test func `withdrawing what is not there changes nothing`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        #expect(try await tool.run("publish", "--channel", "beta").exitCode == 0)
        let before = try await tool.run("keys", "list", "--json").json()
        let outcome = try await tool.run("withdraw", "nope@7.0.0", "--reason", "x")
        expectClearError(outcome, naming: ["nope", "7.0.0"])
        #expect(try await tool.run("keys", "list", "--json").json() == before)
    }

    @Test func `publishing again does not take a version from devices that have it`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        let publish = ["publish", "--channel", "beta", "--rollout", "10"]
        #expect(try await tool.run(publish).exitCode == 0)
        #expect(try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").exitCode == 0)
        let again = try await tool.run(publish)
        #expect(again.exitCode == 0 && again.standardOutput.contains("100 % of the devices"), "\(again)")
    }

    @Test func `shares of several releases in turn are said to be others' devices`() async throws {
        let tool = try Tool()
        for (version, share, isSaid) in [("1.0.0", "100", false), ("1.1.0", "10", false), ("1.2.0", "10", true)] {
            try await Self.build(tool, "shop", version)
            let outcome = try await tool.run("publish", "--channel", "beta", "--rollout", share)
            #expect(outcome.exitCode == 0, "\(outcome)")
            #expect(outcome.standardError.contains("the shares add up") == isSaid, "\(outcome)")
        }
    }

    @Test func `the keys that init makes are kept out of git`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        #expect(try await tool.run("publish", "--channel", "beta").exitCode == 0)
        let tracked = try await tool.shell("git init -q . && git add -A . && git ls-files .packtool").standardOutput
        #expect(tracked == ".packtool/.gitignore\n.packtool/root.json\n")
    }

    @Test func `a damaged zip is refused before a registry or keys are made`() async throws {
        let tool = try Tool()
        try tool.write(["broken.zip": "PK and nothing more"])
        let before = try tool.listing()
        let outcome = try await tool.run("publish", "broken.zip", "--channel", "beta")
        expectClearError(outcome, naming: ["broken.zip"])
        #expect(try tool.listing() == before)
    }

    @Test func `a key where its place belongs is not repeated in the message`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        #expect(try await tool.run("publish", "--channel", "beta").exitCode == 0)
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        try await Self.build(tool, "shop", "1.1.0")
        let outcome = try await tool.run("publish", "--channel", "beta", environment: ["PACKTOOL_KEY": "file:" + key])
        expectClearError(outcome, naming: ["file:PATH"])
        #expect(!outcome.description.contains("PRIVATE KEY"), "\(outcome)")
    }

    @Test(.onFolder) func `a registry of a newer program is left alone, and so is the project's root`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        #expect(try await tool.run("publish", "--channel", "beta").exitCode == 0)
        let root = try tool.read(".packtool/root.json")
        let edit = "import sqlite3; d = sqlite3.connect('.packtool/registry/registry.sqlite'); "
        try await tool.shell(
            "python3 -c \"\(edit)d.execute('INSERT INTO grdb_migrations VALUES (\\'99: later\\')'); d.commit()\"")
        try await Self.build(tool, "shop", "1.1.0")
        let outcome = try await tool.run("publish", "--channel", "beta")
        expectClearError(outcome, naming: ["newer packtool"])
        #expect(try tool.read(".packtool/root.json") == root)
    }

    @Test(.onFolder) func `every command finds the registry that the configuration names`() async throws {
        let tool = try Tool()
        try tool.write(["packtool.json": #"{"package": "shop", "version": "1.0.0", "registry": "reg"}"#])
        try tool.write(["dist/index.html": Self.page])
        for arguments in [["init", "--template", "config"], ["build", "dist"], ["publish", "--channel", "beta"]] {
            let outcome = try await tool.run(arguments)
            #expect([0, 2].contains(outcome.exitCode), "\(outcome)")
        }
        #expect(try tool.listing("reg").keys.contains("registry.sqlite"))
        let update = try await tool.run("client", "update", "--store", "device", "--channel", "beta")
        #expect(update.exitCode == 0, "\(update)")
        let server = try tool.start("serve", "--port", "0")
        #expect(try await server.line(holding: "http://127.0.0.1:") != nil)
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
    }

    @Test(.onFolder) func `a preset is not made of a download that was changed in the registry`() async throws {
        let tool = try Tool()
        try await Self.build(tool, "shop", "1.0.0")
        #expect(try await tool.run("publish", "--channel", "beta").exitCode == 0)
        let make = ["preset", "shop", "--channel", "beta", "--out", "preset"]
        try await tool.shell(
            "f=$(find .packtool/registry/view/patches -name full.zst); printf X | dd of=\"$f\" bs=1 seek=12 conv=notrunc status=none"
        )
        let outcome = try await tool.run(make)
        expectClearError(outcome, naming: ["shop", "signed"])
        #expect(try tool.listing("preset").isEmpty)
    }
}
