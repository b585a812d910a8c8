import Foundation
import PackJSON
import Testing

/// What commands print, and where.
struct OutputTests {
    private static func project() async throws -> Tool {
        let tool = try Tool()
        #expect(try await tool.run("init", "--quiet", "--package", "ferries").exitCode == 0)
        return tool
    }

    /// The whole way, each step with `--json`.
    static let way: [[String]] = [
        ["build", "dist", "--out", "packages"],
        ["inspect", "packages/ferries-1.0.0.zip"],
        ["verify", "packages/ferries-1.0.0.zip"],
        ["diff", "packages/ferries-1.0.0.zip", "packages/ferries-1.0.0.zip"],
        ["publish", "packages/ferries-1.0.0.zip", "--channel", "beta"],
        ["promote", "ferries", "--from", "beta", "--to", "stable", "--new-channel"],
        ["rollout", "ferries", "--channel", "beta", "--percent", "50", "--yes"],
        ["status"],
        ["token", "create", "ci", "--registry", ".packtool/registry"],
        ["token", "list", "--registry", ".packtool/registry"],
        ["keys", "list"],
        ["client", "update", "--store", "device", "--channel", "stable"],
        ["client", "status", "--store", "device"],
        ["client", "explain", "--store", "device"],
        ["client", "gc", "--store", "device"],
        ["rollback", "ferries", "--channel", "stable", "--to", "embedded"],
        ["withdraw", "ferries@1.0.0", "--reason", "a test", "--yes"],
    ]

    @Test func `with --json every step of the whole way prints one document and nothing else on stdout`() async throws {
        let tool = try await Self.project()
        for arguments in Self.way {
            let outcome = try await tool.run(arguments + ["--json"])
            #expect(outcome.exitCode == 0 || outcome.exitCode == 2, "\(arguments): \(outcome)")
            #expect(throws: Never.self, "\(arguments): \(outcome)") { try outcome.json() }
        }
    }

    @Test func `away from a terminal there is no progress, no colour and no control character`() async throws {
        let tool = try await Self.project()
        for arguments in Self.way {
            let outcome = try await tool.run(arguments)
            for text in [outcome.standardOutput, outcome.standardError] {
                let controls = text.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }
                #expect(controls.isEmpty, "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `on a terminal NO_COLOR is honoured`() async throws {
        let tool = try await Self.project()
        for arguments in Self.way.prefix(6) {
            let line = ([Tool.executable.path] + arguments).joined(separator: " ")
            let outcome = try await tool.shell("script -qec '\(line)' /dev/null", environment: ["NO_COLOR": "1"])
            // SGR, the sequence that colours: ESC [ … m. (Progress may still move the cursor.)
            let colours = outcome.standardOutput.firstRange(of: /\u{1B}\[[0-9;]*m/)
            #expect(colours == nil, "\(arguments): \(outcome)")
        }
    }

    @Test func `publish to a folder shows on a terminal what it sends, then what it makes, and clears its line`()
        async throws
    {
        let tool = try await Self.project()
        try await tool.run("build", "dist", "--out", "packages").expectSuccess()
        let publish = "\(Tool.executable.path) publish packages/ferries-1.0.0.zip --channel beta"
        let shown = try await tool.shell("script -qec '\(publish)' /dev/null").expectSuccess().standardOutput
        let clear = "\r\u{1B}[K"
        #expect(shown.hasPrefix("\(clear)publishing ferries 1.0.0\(clear)"), "\(shown.debugDescription)")
        let said = try #require(shown.range(of: "Devices can install this now. "), "\(shown)")
        let making = shown[said.upperBound...]
        #expect(making.contains("Ctrl-C is safe"), "\(shown)")
        #expect(
            making.contains(/\r\x1B\[Kmaking patches and downloads: 0 of [1-9][0-9]*\r\x1B\[K/),
            "\(shown.debugDescription)")
        #expect(making.hasSuffix(clear), "\(shown.debugDescription)")
        // The same once more, quietly.
        let again = try await tool.shell("script -qec '\(publish) --quiet' /dev/null").expectSuccess().standardOutput
        #expect(again.contains("ferries 1.0.0") && !again.contains("\u{1B}"), "\(again.debugDescription)")
    }

    @Test func `quiet says nothing but the result, and nothing on stderr`() async throws {
        let tool = try await Self.project()
        for arguments in Self.way {
            let outcome = try await tool.run(arguments + ["--quiet"])
            if outcome.exitCode == 0 { #expect(outcome.standardError.isEmpty, "\(arguments): \(outcome)") }
        }
    }
}
