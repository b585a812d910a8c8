import Foundation
import TestSupport
import Testing

/// Servers of a registry whose files are in S3-compatible storage, over time.
@Suite(.onFolder) struct StorageServerTests {
    private let storage: ToolStorage
    private let server: PostgresServer
    private let database: String
    private let tool: Tool

    init() async throws {
        storage = try await ToolStorage()
        (server, database, tool) = try await Tool.onPostgres()
        tool.environment.merge(storage.environment) { $1 }
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
    }

    private func publish(_ version: String) async throws {
        try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)"])
        try await tool.output(of: ["build", "dist", "--package", "shop", "--package-version", version, "--quiet"])
        try await tool.output(of: ["publish", "packages/shop-\(version).zip", "--channel", "beta", "--no-wait"])
    }

    /// Starts a server on a machine of its own, and waits until it answers.
    private func serve(_ folder: String) async throws -> (running: RunningTool, url: String) {
        try await tool.startServer(tool.serverMachine(folder))
    }

    @Test func `a server that nobody asks, and that has nothing to sign, sends the bucket nothing`() async throws {
        let proxy = try await FaultProxy(before: storage.server.endpoint)
        try await publish("1.0.0")
        tool.environment["PACKTOOL_STORAGE"] = storage.address(through: proxy)
        let (running, url) = try await serve("one")
        defer { running.kill(SIGKILL) }
        try await tool.update("device", from: url, channel: "beta", to: "1.0.0")
        // What it makes after its start.
        try await becomeQuiet { proxy.seen.count }
        #expect(!proxy.seen.isEmpty)
        proxy.plan { _, _ in .none }
        try await Task.sleep(for: .seconds(6))
        try await tool.shell("curl -sf -o /dev/null \(url)/metadata/timestamp.json").expectSuccess()
        #expect(proxy.seen == [])
    }

    @Test func `a server that stood still until another one had its lease writes nothing`() async throws {
        try await publish("1.0.0")
        let (paused, pausedURL) = try await serve("one")
        defer { paused.kill(SIGKILL) }
        func holder() throws -> String { try sql("SELECT number FROM lease WHERE name = 'server' AND expires > now()") }
        let first = try holder()
        #expect(!first.isEmpty)
        // What it is making just then it would end, under a name that only these bytes have.
        try await becomeQuiet { try await storage.names(with: tool).count }
        paused.kill(SIGSTOP)
        // The store's clock decides when a lease runs out. Three minutes are too long for a test.
        _ = try sql("UPDATE lease SET expires = now() - INTERVAL '1 second'")
        let (other, _) = try await serve("two")
        defer { other.kill(SIGKILL) }
        #expect(try !holder().isEmpty && holder() != first)
        try await becomeQuiet { try await storage.names(with: tool).count }
        other.kill(SIGSTOP)
        // Who has the lease makes its patches, so nobody does now.
        try await publish("1.1.0")
        func state() async throws -> [String] {
            try await storage.names(with: tool).sorted() + [
                storage.read("metadata/timestamp.json", with: tool) ?? "",
                sql("SELECT string_agg(role || version, ' ' ORDER BY role, version) FROM metadata"),
                holder(),
            ]
        }
        let before = try await state()
        paused.kill(SIGCONT)
        try await Task.sleep(for: .seconds(4))
        #expect(try await state() == before)
        #expect(!paused.log.contains("error"), "\(paused.log)")
        // It answers again, and the other one makes what follows from the publication.
        other.kill(SIGCONT)
        try await tool.update("device", from: pausedURL, channel: "beta", to: "1.1.0")
        let check = try await tool.output(of: ["registry", "check"])
        #expect(check.contains("all sound"), "\(check)")
    }

    /// Waits until a number has been the same for six seconds, at most a minute.
    private func becomeQuiet(_ number: () async throws -> Int) async throws {
        var counts: [Int] = []
        for _ in 1...30 {
            counts.append(try await number())
            if counts.count > 3, Set(counts.suffix(4)).count == 1 { return }
            try await Task.sleep(for: .seconds(2))
        }
        Issue.record("it never became quiet: \(counts)")
    }

    private func sql(_ text: String) throws -> String {
        try server.psql("SET search_path TO packtool; " + text, database: database)
    }
}
