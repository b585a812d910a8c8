import Foundation
import TestSupport
import Testing

/// The rows of a registry come back from a backup that is older than what devices have seen.
@Suite(.onFolder) struct RestoredRowsTests {
    private func publish(_ version: String, with tool: Tool) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)"])
        try await tool.output(of: ["build", "dist", "--package", "shop", "--package-version", version, "--quiet"])
        try await tool.output(of: ["publish", "packages/shop-\(version).zip", "--channel", "beta"])
    }

    /// What a device has after it asked a server.
    private func update(with tool: Tool) async throws -> Outcome {
        let server = try tool.start("serve", "--port", "0", "--quiet")
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start: \(server.log)")
        let url = String(try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        let outcome = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--registry", url)
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0)
        return outcome
    }

    /// A device has 1.1.0, and the rows are those of 1.0.0 again.
    private func expectRecovery(of tool: Tool) async throws {
        let status = try await tool.run("status")
        #expect(status.exitCode == 0 && status.standardError.contains("devices have seen newer"), "\(status)")
        expectClearError(try await tool.run("registry", "check"), naming: ["older backup", "--restored"])
        expectClearError(
            try await tool.run("publish", "packages/shop-1.1.0.zip", "--channel", "beta"),
            naming: ["older backup", "--restored"])
        // Nobody is shown anything older, and nobody is refused.
        let before = try await update(with: tool)
        #expect(before.exitCode == 2 && before.standardOutput.contains("1.1.0 is up to date"), "\(before)")
        try await tool.output(of: ["keys", "rotate", "online", "--restored"])
        let check = try await tool.run("registry", "check")
        #expect(check.exitCode == 0 && !check.standardError.contains("newer"), "\(check)")
        let after = try await update(with: tool)
        #expect(after.exitCode == 0 && after.standardOutput.contains("1.0.0 is active"), "\(after)")
        // With other content than it had.
        try await publish("1.1.0", with: tool)
        try await publish("1.2.0", with: tool)
        let newest = try await update(with: tool)
        #expect(newest.exitCode == 0 && newest.standardOutput.contains("1.2.0 is active"), "\(newest)")
        #expect(try tool.listing("device").values.contains(Data("// 1.2.0".utf8)))
    }

    @Test func `a database from an older backup is told, shows devices nothing, and is accepted with a new online key`()
        async throws
    {
        let storage = try await ToolStorage()
        let (server, database, tool) = try await Tool.onPostgres()
        tool.environment.merge(storage.environment) { $1 }
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
        try await publish("1.0.0", with: tool)
        let url = server.url(database: database)
        try await tool.shell("pg_dump -Fc -f backup '\(url)'").expectSuccess()
        try await publish("1.1.0", with: tool)
        #expect(try await update(with: tool).exitCode == 0)
        try server.psql("DROP SCHEMA packtool CASCADE", database: database)
        expectClearError(try await tool.run("status"), naming: ["there is no registry", "packtool init"])
        // It made none, or the backup would not fit.
        try await tool.shell("pg_restore -d '\(url)' backup").expectSuccess()
        try await expectRecovery(of: tool)
    }

    /// - Parameter rotations: So often the online key was replaced since the backup.
    @Test(arguments: [0, 2])
    func `so is a folder whose rows are put back`(rotations: Int) async throws {
        let tool = try Tool()
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
        try await publish("1.0.0", with: tool)
        // A copy of the file alone would lack what is in SQLite's log.
        let copying =
            "import sqlite3; sqlite3.connect('.packtool/registry/registry.sqlite').execute('VACUUM INTO \"backup\"')"
        try await tool.run(URL(filePath: "/usr/bin/python3"), ["-c", copying], environment: [:]).expectSuccess()
        for _ in 0..<rotations { try await tool.output(of: ["keys", "rotate", "online"]) }
        try await publish("1.1.0", with: tool)
        #expect(try await update(with: tool).exitCode == 0)
        try await tool.shell(
            "rm -f .packtool/registry/registry.sqlite-*; cp backup .packtool/registry/registry.sqlite"
        ).expectSuccess()
        try await expectRecovery(of: tool)
    }

    /// Devices have roots that the backup lacks, and take no others in their place.
    @Test func `a backup from before rotations of all keys is accepted, with the roots that the project has seen`()
        async throws
    {
        let tool = try Tool()
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
        try await publish("1.0.0", with: tool)
        try await tool.output(of: ["registry", "backup", "backups"])
        for key in ["owner", "root", "online"] { try await tool.output(of: ["keys", "rotate", key]) }
        try await publish("1.1.0", with: tool)
        #expect(try await update(with: tool).exitCode == 0)
        try FileManager.default.removeItem(at: tool.folder.appending(path: ".packtool/registry"))
        try await tool.output(of: ["registry", "restore", "backups"])
        try await tool.output(of: ["keys", "rotate", "online", "--restored"])
        let after = try await update(with: tool)
        #expect(after.exitCode == 0 && after.standardOutput.contains("1.0.0 is active"), "\(after)")
        try await publish("1.2.0", with: tool)
        let newest = try await update(with: tool)
        #expect(newest.exitCode == 0 && newest.standardOutput.contains("1.2.0 is active"), "\(newest)")
    }

    /// - Parameter days: So many later; after seven what the key has signed is expired.
    @Test(arguments: [0, 9])
    func `a lost online key is replaced by rotating it`(days: Int) async throws {
        let tool = try Tool()
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
        try await publish("1.0.0", with: tool)
        #expect(try await update(with: tool).exitCode == 0)
        try FileManager.default.removeItem(at: tool.folder.appending(path: ".packtool/registry/keys/online.json"))
        let rotated = try await tool.start(["keys", "rotate", "online"], clock: days * 86_400).outcome()
        #expect(rotated.exitCode == 0, "\(rotated)")
        try await publish("1.1.0", with: tool)
        let newest = try await update(with: tool)
        #expect(newest.exitCode == 0 && newest.standardOutput.contains("1.1.0 is active"), "\(newest)")
    }
}
