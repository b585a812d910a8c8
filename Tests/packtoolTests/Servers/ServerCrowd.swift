import Foundation
import Synchronization
import TestSupport
import Testing

/// Three servers, each with a disk of its own, on one registry in PostgreSQL and a bucket; one has a clock that is ten minutes fast. Whatever
/// ends is started again, as a service manager does.
final class ServerCrowd: Sendable {
    private struct State {
        var running: [RunningTool?] = [nil, nil, nil]
        var isOver = false
        var starts = 0
    }

    let database: PostgresServer
    let bucket: SeaweedServer
    /// The owner's project, which the registry was made from.
    let folder: URL
    let urls: [String]
    private let ports: [Int]
    private let environment: [String: String]
    private let state = Mutex(State())

    /// - Parameter owner: a folder in which nothing is yet. Its commands use the registry from then on.
    init(owner: Tool) async throws {
        database = try await PostgresServer()
        bucket = try await SeaweedServer()
        folder = owner.folder
        ports = try LoopbackPort.free(3)
        urls = ports.map { "http://127.0.0.1:\($0)" }
        environment = bucket.environment.merging([
            "PACKTOOL_REGISTRY": database.url, "PACKTOOL_STORAGE": bucket.address(prefix: "crowd"),
        ]) { $1 }
        owner.environment.merge(environment) { $1 }
        owner.environment["PACKTOOL_FILES"] = "files"
        try await owner.output(of: ["init", "--template", "config", "--app", "crowd"])
    }

    /// A folder on another machine, with what a project's repository has, and the credentials of the registry's servers or a token.
    func machine(_ environment: [String: String]) throws -> Tool {
        let tool = try Tool(environment: environment)
        try FileManager.default.createDirectory(
            at: tool.folder.appending(path: ".packtool"), withIntermediateDirectories: true)
        for name in ["packtool.json", ".packtool/root.json"] {
            try FileManager.default.copyItem(at: folder.appending(path: name), to: tool.folder.appending(path: name))
        }
        return tool
    }

    /// Runs the servers until ``end()``.
    func serve() async throws {
        try await withThrowingTaskGroup { group in
            for index in ports.indices { group.addTask { try await self.keep(index) } }
            try await group.waitForAll()
        }
    }

    private func keep(_ index: Int) async throws {
        let tool = try machine(environment.merging(["PACKTOOL_FILES": "server"]) { $1 })
        // The online key is all that a machine of a server needs.
        let keys = tool.folder.appending(path: "server/keys")
        try FileManager.default.createDirectory(at: keys, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: folder.appending(path: "files/keys/online.json"), to: keys.appending(path: "online.json"))
        while !state.withLock({ $0.isOver }) {
            let serve = ["serve", "--port", "\(ports[index])", "--quiet"]
            let running = try index == 0 ? tool.start(serve, clock: 600) : tool.start(serve)
            let isOver = state.withLock { state in
                state.running[index] = running
                state.starts += 1
                return state.isOver
            }
            // The end may have come before it was known.
            if isOver { running.kill(SIGTERM) }
            let outcome = await running.outcome()
            // At the end it may not have come to its own way of ending.
            if state.withLock({ $0.isOver }), outcome.exitCode == -SIGTERM { return }
            if outcome.exitCode != 0, outcome.exitCode != -SIGKILL {
                // Without a database or a bucket it does not start; the next one does.
                #expect(
                    outcome.standardError.contains("cannot be reached"),
                    "server \(index) ended: \(outcome.exitCode) \(outcome)")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// How often a server was started.
    var startCount: Int { state.withLock { $0.starts } }

    /// Waits until all answer, and says of one that does not what it waits for.
    func waitUntilReady(with tool: Tool) async throws {
        for (index, url) in urls.enumerated() {
            let answer = try await tool.shell(
                "curl -sf --retry 60 --retry-delay 1 --retry-all-errors -o /dev/null \(url)/health/ready")
            guard answer.exitCode != 0 else { continue }
            let (server, starts) = state.withLock { ($0.running[index], $0.starts) }
            let others = try await tool.shell(
                "curl -s -o /dev/null -w 'bucket %{http_code}; ' \(bucket.endpoint)/ || true; "
                    + "psql '\(database.url)' -tc 'select count(*) from pg_stat_activity' 2>&1 || true")
            let threads = (try? await server?.threads()) ?? "not started"
            Issue.record(
                "server \(index) of \(starts) starts is not ready: \(answer)\(others)\(threads)\(server?.log ?? "")")
            try answer.expectSuccess()
        }
    }

    func killServer(_ index: Int) { state.withLock { $0.running[index] }?.kill(SIGKILL) }

    /// Ends the servers as a service manager does.
    func end() {
        let running = state.withLock { state in
            state.isOver = true
            return state.running
        }
        for server in running { server?.kill(SIGTERM) }
    }
}
