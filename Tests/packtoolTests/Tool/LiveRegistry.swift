import Foundation
import PackJSON
import Testing

/// A registry folder with keys, and a `packtool serve` on it on loopback.
///
///     let registry = try LiveRegistry()
///     let token = try registry.token("--publish", "--package", "shop")
final class LiveRegistry {
    let tool: Tool
    let url: String
    private let server: RunningTool

    /// The registry's folder, for commands that open it in place.
    var folder: String { tool.folder.appendingPathComponent(".packtool/registry").path }

    init() throws {
        tool = try Tool()
        let made = try tool.run("init", "--template", "config")
        try #require(made.exitCode == 0, "\(made)")
        server = try tool.start("serve", "--port", "0")
        let line = try #require(server.line(holding: "http://127.0.0.1:"), "\(server.outcome())")
        url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
    }

    deinit {
        server.kill(SIGKILL)
    }

    /// Makes a token; `arguments` are those of `packtool token create`.
    func token(_ arguments: String...) throws -> String {
        let outcome = try tool.run(["token", "create", "test"] + arguments + ["--registry", folder, "--json"])
        try #require(outcome.exitCode == 0, "\(outcome)")
        return try outcome.json().object().string("token")
    }

    /// What a machine needs in its environment to publish here.
    func publisherEnvironment() throws -> [String: String] {
        try ["PACKTOOL_TOKEN": token("--publish", "--release")]
    }
}
