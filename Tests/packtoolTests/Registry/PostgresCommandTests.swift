import Foundation
import PackJSON
import TestSupport
import Testing

/// Commands and servers on a registry whose rows are in PostgreSQL.
@Suite(.onFolder) struct PostgresCommandTests {
    private let server: PostgresServer
    private let database: String
    private let tool: Tool

    init() async throws {
        (server, database, tool) = try await Tool.onPostgres()
    }

    private func run(_ arguments: String...) async throws -> String {
        let outcome = try await tool.run(arguments)
        try #require(outcome.exitCode == 0, "\(arguments): \(outcome)")
        return outcome.standardOutput
    }

    private func publish(_ version: String, to url: String? = nil, _ environment: [String: String] = [:]) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)"])
        _ = try await run("build", "dist", "--package", "shop", "--package-version", version, "--quiet")
        let outcome = try await tool.run(
            ["publish", "packages/shop-\(version).zip", "--channel", "beta"] + (url.map { ["--registry", $0] } ?? []),
            environment: environment)
        try #require(outcome.exitCode == 0, "\(outcome)")
    }

    @Test func `two servers share one registry, and one goes on without the other`() async throws {
        _ = try await run("init", "--template", "config", "--app", "shop")
        try await publish("1.0.0")
        #expect(try tool.listing("files").keys.contains("registry.id"))
        #expect(try !tool.listing("files").keys.contains("registry.sqlite"))
        let servers = try ["first", "second"].map { _ in try tool.start("serve", "--port", "0") }
        var urls: [String] = []
        for running in servers {
            let line = try #require(await running.line(holding: "http://127.0.0.1:"), "it did not start")
            urls.append(String(try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output))
        }
        let token = try await tool.run("token", "create", "ci", "--publish", "--release", "--json").json().object()
            .string("token")
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        let environment = ["PACKTOOL_TOKEN": token, "PACKTOOL_KEY": key]
        try await publish("1.1.0", to: urls[1], environment)
        // The other one shows it at once.
        let update = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--registry", urls[0])
        #expect(update.exitCode == 0 && update.standardOutput.contains("1.1.0"), "\(update)")
        servers[0].kill(SIGTERM)
        #expect(await servers[0].outcome().exitCode == 0)
        try await publish("1.2.0", to: urls[1], environment)
        let status = try await run("status")
        for version in ["1.0.0", "1.1.0", "1.2.0"] { #expect(status.contains(version), "\(status)") }
        servers[1].kill(SIGKILL)
        _ = await servers[1].outcome()
        // Whoever comes next finds everything, and so does a device that reads the folder.
        _ = try await run("rollback", "shop", "--to", "1.0.0", "--channel", "beta", "--yes")
        let view = try await tool.run("client", "update", "--store", "other", "--channel", "beta")
        #expect(view.exitCode == 0 && view.standardOutput.contains("1.0.0"), "\(view)")
        #expect(try await run("audit").contains("publish"))
    }

    @Test func `what is wrong with a database is said, and no password is`() async throws {
        let secret = "postgres://locked:open-sesame@127.0.0.1:\(server.port)/\(database)"
        let refused = try await tool.run("status", "--registry", secret)
        expectClearError(refused, naming: ["--registry", "PGPASSFILE"])
        try tool.write(["packtool.json": "{\"package\": \"shop\", \"registry\": \"\(secret)\"}"])
        tool.environment["PACKTOOL_REGISTRY"] = nil
        let configured = try await tool.run("status")
        expectClearError(configured, naming: ["configuration", "PGPASSFILE"])
        // The right way.
        let open = secret.replacing(":open-sesame", with: "")
        let wrong = try await tool.run("status", "--registry", open, environment: ["PGPASSWORD": "close-sesame"])
        expectClearError(wrong, naming: ["postgres://locked@127.0.0.1", "PGPASSWORD"])
        let empty = try await tool.run("status", environment: ["PACKTOOL_REGISTRY": secret])
        expectClearError(empty, naming: ["there is no registry in postgres://locked@127.0.0.1", "packtool init"])
        let made = try await tool.run("init", "--template", "config", environment: ["PACKTOOL_REGISTRY": secret])
        #expect(made.exitCode == 0, "\(made)")
        let found = try await tool.run("status", "--registry", open, environment: ["PGPASSWORD": "open-sesame"])
        #expect(found.exitCode == 0, "\(found)")
        // Another folder than the one that belongs to it.
        let unmounted = try await tool.run(
            "status", "--registry", open, "--files", "elsewhere", environment: ["PGPASSWORD": "open-sesame"])
        expectClearError(unmounted, naming: ["elsewhere", "mounted"])
        let closed = try await tool.run("status", "--registry", "postgres://nobody@127.0.0.1:1/none")
        expectClearError(closed, naming: ["postgres://nobody@127.0.0.1:1/none cannot be reached"])
        // The folder belongs to another database already.
        let taken = try await tool.run(
            "init", "--template", "jenkins", "--template", "config", "--registry",
            server.url(database: server.newDatabase()))
        expectClearError(taken, naming: ["files", "another registry"])
        tool.environment["PACKTOOL_FILES"] = nil
        let homeless = try await tool.run("status", environment: ["PACKTOOL_REGISTRY": secret])
        expectClearError(homeless, naming: ["--files"])
        let aimless = try await tool.run("status", "--registry", "folder", "--files", "files")
        expectClearError(aimless, naming: ["--files"])
        for outcome in [refused, configured, wrong, empty, made, found, unmounted, taken, closed, homeless, aimless] {
            #expect(!outcome.description.contains("sesame"), "\(outcome)")
        }
    }
}
