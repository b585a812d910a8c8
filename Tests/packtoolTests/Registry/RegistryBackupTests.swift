import Foundation
import PackJSON
import TestSupport
import Testing

/// `packtool registry backup` and `registry restore`: what was there comes back, whatever happens beside and between them.
@Suite(.onFolder) struct RegistryBackupTests {
    private let tool: Tool

    init() async throws {
        tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
    }

    private func build(_ version: String) async throws -> String {
        try tool.write([
            "sites/\(version)/index.html": "<!doctype html><title>Shop \(version)</title>",
            "sites/\(version)/app.js": (0..<500).map { "step(\($0), '\(version)');" }.joined(separator: "\n"),
        ])
        try await tool.run(
            "build", "sites/\(version)", "--package", "shop", "--package-version", version, "--out", "packages"
        ).expectSuccess()
        return "packages/shop-\(version).zip"
    }

    private func publish(_ version: String) async throws {
        try await tool.run("publish", try await build(version), "--channel", "beta").expectSuccess()
    }

    private func backUp(_ more: String...) async throws -> JSONObject {
        try await tool.run(["registry", "backup", "backups", "--json"] + more).expectSuccess().json().object()
    }

    /// The title of what a device shows after an update.
    private func title(_ registry: String = ".packtool/registry") async throws -> String {
        let update = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--registry", registry)
        // 2: it was up to date.
        #expect([0, 2].contains(update.exitCode), "\(update)")
        let started = try await tool.run("client", "start", "--store", "device", "--package", "shop", "--json")
        let folder = try started.json().object().object("packages").object("shop").string("folder")
        _ = try await tool.run("client", "confirm", "--store", "device", "--package", "shop")
        let page = try String(contentsOf: URL(filePath: "\(folder)/index.html"), encoding: .utf8)
        return String(try #require(page.firstMatch(of: /<title>(.*)<\/title>/)?.output.1))
    }

    private func lose() async throws { try await tool.shell("rm -rf .packtool/registry").expectSuccess() }

    /// The file of an object in a folder of backups.
    private func object() throws -> String {
        try #require(
            try tool.listing("backups/view/objects").max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        ).key
    }

    @Test func `a registry that is lost comes back as it was, and devices notice nothing`() async throws {
        try await publish("1.0.0")
        let server = try tool.start("serve", "--port", "0")
        _ = try #require(await server.line(holding: "http://"))
        let first = try await backUp()
        #expect(try first.integer("copied") == first.integer("files") && first.integer("versions") == 1)
        try await publish("1.1.0")
        let second = try await backUp()
        #expect(try second.integer("copied") == 2 && second.integer("versions") == 2, "only what is new is copied")
        #expect(try await title() == "Shop 1.1.0")
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)

        let signed = try tool.listing(".packtool/registry/view/metadata")
        let offered = try await tool.run("status", "--json").json().object().object("channels")
        try await lose()
        let restored = try await tool.run("registry", "restore", "backups").expectSuccess()
        #expect(restored.standardOutput.contains("2 versions") && restored.standardError.contains("--restored"))
        #expect(try await tool.run("status", "--json").json().object().object("channels") == offered)
        #expect(try await !tool.run("status").standardOutput.contains("not made yet"))
        #expect(try tool.listing(".packtool/registry/view/metadata") == signed, "byte for byte")
        #expect(try await tool.run("registry", "check").standardOutput.contains("all sound"))
        #expect(try await title() == "Shop 1.1.0")
        try await publish("1.2.0")
        #expect(try await title() == "Shop 1.2.0")
    }

    @Test func `old backups go, what the others need stays, and each can be restored`() async throws {
        var names: [String] = []
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            try await publish(version)
            names.append(try await backUp("--keep", "2").string("backup"))
        }
        #expect(Set(names).count == 3, "\(names)")
        let missing = try await tool.run("registry", "restore", "backups", "--at", names[0], "--registry", "other")
        expectClearError(missing, naming: [names[0], names[1], names[2]])
        for (name, version) in [(names[1], "1.1.0"), (names[2], "1.2.0")] {
            try await tool.run("registry", "restore", "backups", "--at", name, "--registry", "at-\(version)")
                .expectSuccess()
            let check = try await tool.run("registry", "check", "--registry", "at-\(version)")
            #expect(check.standardOutput.contains("all sound"), "\(check)")
            try await tool.shell("rm -rf device").expectSuccess()
            #expect(try await title("at-\(version)") == "Shop \(version)")
        }
        // Devices that saw more refuse an older one until the registry has another key.
        let old = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--registry", "at-1.1.0")
        #expect(old.exitCode != 0 && old.standardError.contains("would go back"), "\(old)")

        // What no version has any more is in no backup that was made since.
        let pruned = try await tool.shell(
            "faketime -f +40d '\(Tool.executable.path)' registry prune --keep 1 --yes")
        #expect(pruned.exitCode == 0, "\(pruned)")
        let count = try tool.listing("backups/view/objects").count
        let last = try await backUp("--keep", "1")
        #expect(try last.array("removed").count == 2)
        #expect(
            try tool.listing("backups/view/objects").count == last.integer("files") && count > last.integer("files"))
        #expect(try await tool.run("registry", "restore", "backups", "--dry-run").standardOutput.contains("all sound"))
    }

    @Test func `a backup that is killed leaves the earlier ones sound, beside publications`() async throws {
        try await publish("1.0.0")
        _ = try await backUp()
        let zips = [try await build("1.1.0"), try await build("1.2.0"), try await build("1.3.0")]
        var publications: [RunningTool] = []
        var completed = 0
        for round in 1...20 {
            if round % 6 == 1, publications.count < zips.count {
                publications.append(try tool.start("publish", zips[publications.count], "--channel", "beta"))
            }
            let running = try tool.start("registry", "backup", "backups", "--keep", "100")
            try await Task.sleep(for: .milliseconds(round * 8))
            running.kill(SIGKILL)
            if await running.outcome().exitCode == 0 { completed += 1 }
            let dry = try await tool.run("registry", "restore", "backups", "--dry-run")
            #expect(dry.exitCode == 0 && dry.standardOutput.contains("all sound"), "\(round): \(dry)")
        }
        for publication in publications { try await publication.outcome().expectSuccess() }
        #expect(completed < 20, "some were killed")
        let last = try await backUp("--keep", "1")
        #expect(try last.integer("versions") == 4)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: tool.folder.appendingPathComponent("backups/uploads").path)
        #expect(left.filter { UUID(uuidString: $0) != nil } == [], "what was killed left nothing")
        try await lose()
        try await tool.run("registry", "restore", "backups").expectSuccess()
        #expect(try await title() == "Shop 1.3.0")
    }

    @Test func `a damaged backup is told, restored without what is lost, and mended by a publication`() async throws {
        try await publish("1.0.0")
        _ = try await backUp()
        let file = try object()
        try await tool.shell("printf x >> 'backups/view/objects/\(file)'").expectSuccess()
        let name = "objects/\(file)"
        expectClearError(
            try await tool.run("registry", "restore", "backups", "--dry-run"),
            naming: ["1 file of the backup is", name])
        try await lose()
        let refused = try await tool.run("registry", "restore", "backups")
        expectClearError(refused, naming: ["1 file of the backup is", name, "--at", "--partial"])
        let none = try await tool.run("status")
        #expect(none.exitCode != 0 && none.standardError.contains("no registry"), "\(none)")
        let partial = try await tool.run("registry", "restore", "backups", "--partial").expectSuccess()
        #expect(partial.standardOutput.contains("1 lost"))
        #expect(try await tool.run("registry", "check").exitCode == 1)
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
        #expect(try await tool.run("registry", "check").standardOutput.contains("all sound"))
        #expect(try await title() == "Shop 1.0.0")
        // The next backup has it again.
        _ = try await backUp()
        #expect(try await tool.run("registry", "restore", "backups", "--dry-run").exitCode == 0)
    }

    @Test func `a registry with a damaged file is not backed up over a sound copy`() async throws {
        try await publish("1.0.0")
        let name = try await backUp().string("backup")
        let file = try object()
        try await publish("1.1.0")
        let new = try #require(
            try tool.listing(".packtool/registry/view/objects").keys.first {
                !FileManager.default.fileExists(
                    atPath: tool.folder.appendingPathComponent("backups/view/objects/\($0)").path)
            })
        for damaged in [file, new] {
            try await tool.shell("printf x > '.packtool/registry/view/objects/\(damaged)'").expectSuccess()
        }
        let refused = try await tool.run("registry", "backup", "backups")
        expectClearError(refused, naming: ["objects/\(new)", "damaged", "registry check --repair"])
        let dry = try await tool.run("registry", "restore", "backups", "--dry-run").expectSuccess()
        #expect(dry.standardOutput.contains(name) && dry.standardOutput.contains("all sound"))
    }

    @Test func `places that are something else are refused, and nothing is written there`() async throws {
        try await publish("1.0.0")
        _ = try await backUp()
        let before = try tool.listing("backups")
        let inside = try await tool.run("registry", "backup", ".packtool/registry/view/backups")
        expectClearError(inside, naming: ["inside of the registry"])
        let over = try await tool.run("registry", "restore", "backups")
        expectClearError(over, naming: ["there is a registry in", "move it away"])
        let other = try Tool()
        try await other.run("init", "--app", "other").expectSuccess()
        let foreign = try await other.run("registry", "backup", "\(tool.folder.path)/backups")
        expectClearError(foreign, naming: ["backups of another registry", "app shop"])
        #expect(
            try tool.listing("backups").filter { !$0.key.hasSuffix(".lock") }
                == before.filter { !$0.key.hasSuffix(".lock") })
        let empty = try await tool.run("registry", "restore", "sites", "--registry", "r")
        expectClearError(empty, naming: ["there is no backup in", "packtool registry backup"])
        let server = try await tool.run("registry", "backup", "b", "--registry", "http://127.0.0.1:9")
        expectClearError(server, naming: ["where its files are", "--registry"])
        let database = try await tool.run(
            "registry", "restore", "backups", "--registry", "postgres://x/y", "--files", "f")
        expectClearError(database, naming: ["to a folder", "packtool registry copy"])

        let record = try #require(before.keys.first { $0.hasSuffix("backup.json") })
        for (text, words) in [(#"{"format": 2}"#, "newer packtool"), ("{", "is damaged")] {
            try tool.write(["backups/\(record)": text])
            for command in [["registry", "restore", "backups", "--registry", "r"], ["registry", "backup", "backups"]] {
                expectClearError(try await tool.run(command), naming: ["backup.json", words])
            }
        }
        #expect(!FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("r").path))
    }

    @Test(.enabled(if: try OwnFileSystem.isAllowed))
    func `a full disk ends a backup with a message, and the one before stays`() async throws {
        try await publish("1.0.0")
        try tool.write([
            "sites/big/index.html": "<!doctype html><title>Big</title>",
            "sites/big/data.bin": String(repeating: "x", count: 1_900_000),
        ])
        try tool.write([
            "script.sh": """
            mkdir disk && mount -t tmpfs -o size=2000k tmpfs disk
            "$PACKTOOL" registry backup disk/b
            "$PACKTOOL" build sites/big --package shop --package-version 2.0.0 --out packages
            "$PACKTOOL" publish packages/shop-2.0.0.zip --channel beta
            if "$PACKTOOL" registry backup disk/b; then echo 'it had space'; exit 9; fi
            "$PACKTOOL" registry restore disk/b --dry-run
            """
        ])
        let outcome = try await tool.shell(
            "unshare -rm bash -eu script.sh", environment: ["PACKTOOL": Tool.executable.path])
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(outcome.standardError.contains("no space left"), "\(outcome)")
        #expect(outcome.standardOutput.contains("has 1 version ") && outcome.standardOutput.contains("all sound"))
    }
}
