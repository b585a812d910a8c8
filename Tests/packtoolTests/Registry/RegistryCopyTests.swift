import Foundation
import TestSupport
import Testing

/// `packtool registry copy` from a folder to PostgreSQL and a bucket, and back.
@Suite(.onFolder) struct RegistryCopyTests {
    private let tool: Tool

    /// A registry in a folder with two versions, a release that was taken back, and a token.
    init() async throws {
        tool = try Tool()
        try await run("init", "--template", "config", "--app", "shop")
        for version in ["1.0.0", "1.1.0"] { try await publish(version) }
        try await run("rollback", "shop", "--to", "1.0.0", "--channel", "beta", "--yes")
        try await run("token", "create", "ci", "--publish")
    }

    @discardableResult
    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
        try await tool.output(of: arguments, environment: environment)
    }

    private func publish(_ version: String, _ environment: [String: String] = [:]) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)"])
        try await run("build", "dist", "--package", "shop", "--package-version", version, "--quiet")
        try await run("publish", "packages/shop-\(version).zip", "--channel", "beta", environment: environment)
    }

    private func view(_ folder: String) throws -> [String: Data] { try tool.listing("\(folder)/view") }

    @Test func `a registry goes from a folder to PostgreSQL and a bucket and back, and every byte is the same`()
        async throws
    {
        let storage = try await ToolStorage()
        let server = try await PostgresServer.shared()
        let database = server.url(database: try server.newDatabase())
        let before = try view(".packtool/registry")
        let audit = try await run("audit")
        let copied = try await run(
            "registry", "copy", database, "--to-files", "files", "--to-storage", storage.address,
            environment: storage.server.environment)
        #expect(copied.contains("0 were there"), "\(copied)")
        #expect(try view(".packtool/registry") == before)
        let timestamp = try #require(before["metadata/timestamp.json"])
        #expect(
            try await storage.read("metadata/timestamp.json", with: tool) == String(decoding: timestamp, as: UTF8.self))

        var new = storage.environment
        new["PACKTOOL_REGISTRY"] = database
        new["PACKTOOL_FILES"] = "files"
        #expect(try await run("audit", environment: new) == audit)
        #expect(try await run("registry", "check", environment: new).contains("all sound"))
        let copying = ["registry", "copy", database, "--to-files", "files", "--to-storage", storage.address]
        let again = try await tool.output(of: copying, environment: storage.server.environment)
        #expect(again.contains(": 0 files with 0 bytes"), "\(again)")
        let nowhere = try await tool.run("registry", "copy", database)
        expectClearError(nowhere, naming: ["--to-files", "--to-storage"])

        try await run("registry", "copy", "back", environment: new)
        #expect(try view("back") == before)
        #expect(try await run("audit", "--registry", "back") == audit)
        // Numbers go on where they were.
        try await publish("1.2.0", new)
        let status = try await run("status", environment: new)
        #expect(status.contains("1.2.0"), "\(status)")
        let old = try await run("status", "--registry", "back")
        #expect(!old.contains("1.2.0"), "\(old)")
        let late = try await tool.run(copying, environment: storage.server.environment)
        expectClearError(late, naming: ["there is another registry in postgres://"])
    }

    @Test func `a copy that was interrupted is completed, and a damaged file is not copied`() async throws {
        let objects = try view(".packtool/registry").keys.filter { $0.hasPrefix("objects/") }.sorted()
        let last = ".packtool/registry/view/\(try #require(objects.last))"
        let whole = try String(decoding: tool.read(last), as: UTF8.self)
        try tool.write([last: "damaged"])
        let refused = try await tool.run("registry", "copy", "copy")
        expectClearError(refused, naming: [try #require(objects.last), "registry check --repair"])
        let begun = try tool.listing("copy").keys.filter { $0.hasPrefix("view/objects/") }
        #expect(begun.count == objects.count - 1)
        try tool.write([last: whole])
        let copied = try await run("registry", "copy", "copy")
        #expect(copied.contains("\(begun.count) were there"), "\(copied)")
        #expect(try view("copy") == view(".packtool/registry"))
        let same = try await tool.run("registry", "copy", ".packtool/registry")
        expectClearError(same, naming: ["give another folder"])
    }

    @Test func `a registry that a server has is not copied`() async throws {
        let running = try tool.start("serve", "--port", "0")
        _ = try #require(await running.line(holding: "http://127.0.0.1:"), "it did not start")
        let refused = try await tool.run("registry", "copy", "copy")
        expectClearError(refused, naming: ["packtool serve", "process ", "stop it"])
        #expect(try tool.listing("copy").isEmpty)
        running.kill(SIGTERM)
        #expect(await running.outcome().exitCode == 0)
    }
}
