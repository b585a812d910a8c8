import Foundation
import PackJSON
import Testing

/// A registry folder with keys, and a `packtool serve` on it on loopback.
///
///     let registry = try await LiveRegistry()
///     let token = try await registry.token("--publish", "--package", "shop")
final class LiveRegistry {
    let tool: Tool
    let url: String
    private let server: RunningTool

    /// The registry's folder, for commands that open it in place.
    var folder: String { tool.folder.appendingPathComponent(".packtool/registry").path }

    /// - Parameter flags: more of `packtool serve`.
    init(_ flags: String...) async throws {
        tool = try Tool()
        let made = try await tool.run("init", "--template", "config")
        try #require(made.exitCode == 0, "\(made)")
        server = try tool.start(["serve", "--port", "0"] + flags)
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
    }

    deinit {
        server.kill(SIGKILL)
    }

    /// Ends the server; the folder stays.
    func stop() { server.kill(SIGKILL) }

    /// Makes a token; `arguments` are those of `packtool token create`.
    func token(_ arguments: String...) async throws -> String {
        let outcome = try await tool.run(["token", "create", "test"] + arguments + ["--registry", folder, "--json"])
        try #require(outcome.exitCode == 0, "\(outcome)")
        return try outcome.json().object().string("token")
    }

    /// What a machine needs in its environment to publish here: a token and the publisher's key.
    func publisherEnvironment() async throws -> [String: String] {
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        return try await ["PACKTOOL_TOKEN": token("--publish", "--release", "--channel", "beta"), "PACKTOOL_KEY": key]
    }

    /// Publishes a version of a package from the registry's own machine, where the owner's key is, which lets the publisher's
    /// key publish the package from then on.
    func publish(_ package: String, _ version: String, files: [String: String], channel: String = "beta") async throws {
        try tool.write(Dictionary(uniqueKeysWithValues: files.map { ("sites/\(version)/\($0.key)", $0.value) }))
        for arguments in [
            ["build", "sites/\(version)", "--package", package, "--package-version", version, "--out", "packages"],
            ["publish", "packages/\(package)-\(version).zip", "--channel", channel],
        ] {
            let outcome = try await tool.run(arguments)
            try #require(outcome.exitCode == 0, "\(arguments): \(outcome)")
        }
    }
}
