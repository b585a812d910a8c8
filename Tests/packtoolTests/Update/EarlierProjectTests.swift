import Foundation
import Testing

/// A project that packtool 0.1.0 made, with its registry and a device's store: Tests/Data/project-0.1.0.tar.gz. On the device `tickets`
/// 1.1.0 is active and 1.2.0 waits for the next start; `help` went back to 1.0.0. Both share a bundle.
struct EarlierProjectTests {
    private static func unpacked() async throws -> Tool {
        let tool = try Tool()
        let archive = Tool.project.appendingPathComponent("Tests/Data/project-0.1.0.tar.gz").path
        try await tool.shell("tar -xzf '\(archive)'").expectSuccess()
        return tool
    }

    /// Runs packtool on the day after the project was made: signatures of then expire.
    @discardableResult
    private static func output(_ tool: Tool, _ arguments: String...) async throws -> String {
        let outcome = try await tool.start(arguments, clock: clock).outcome()
        try #require(outcome.exitCode == 0, "\(arguments): \(outcome)")
        return outcome.standardOutput
    }

    private static var clock: Int { 1_796_073_000 - Int(Date().timeIntervalSince1970) }

    private static func status(_ tool: Tool) async throws -> [String] {
        try await output(tool, "client", "status", "--store", "device").split(separator: "\n").map(String.init)
    }

    /// What a browser gets for the path of a page's server, which counts a start.
    private static func pages(_ paths: [String], of tool: Tool) async throws -> [String] {
        let server = try tool.start(
            ["client", "serve", "--store", "device", "--channel", "beta", "--port", "0"], clock: clock)
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let base = try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
        var found: [String] = []
        for path in paths {
            found.append(try await tool.shell("curl -sSf --max-time 20 '\(base)/\(path)'").standardOutput)
        }
        server.kill(SIGTERM)
        _ = await server.outcome()
        return found
    }

    @Test(.onFolder) func `a device's store of 0.1 is started, updated and goes back as if it were of today`()
        async throws
    {
        let tool = try await Self.unpacked()
        #expect(
            try await Self.status(tool) == [
                "help  1.0.0 active (confirmed)", "  failed: 1.1.0, it was started 2 times and never confirmed",
                "tickets  1.1.0 active (confirmed); 1.2.0 from the next start on",
            ])
        // What waited is there at the next start, what failed is not, and shared files are read.
        let first = try await Self.pages(["tickets/", "help/", "help/licence.txt"], of: tool)
        #expect(first[0].contains("<title>tickets 1.2.0</title>") && first[1].contains("<title>help 1.0.0</title>"))
        #expect(first[2].contains("Apache License"))
        try await Self.output(tool, "client", "confirm", "--store", "device", "--package", "tickets")

        let lines = (0..<400).map { "export const word\($0) = 'tickets word \($0) of the harbour'" }
        try tool.write([
            "site/index.html": "<!doctype html><title>tickets 1.3.0</title>",
            "site/assets/app.js": "// tickets 1.3.0\n" + lines.joined(separator: "\n"),
        ])
        try await Self.output(
            tool, "build", "site", "--package", "tickets", "--package-version", "1.3.0", "--out", "zips")
        try await Self.output(tool, "publish", "zips/tickets-1.3.0.zip", "--channel", "beta")
        let update = try await Self.output(tool, "client", "update", "--store", "device", "--channel", "beta")
        #expect(update.contains("tickets 1.3.0 is active (patch, "), "\(update)")
        #expect(update.contains("1.1.0 is passed over: it failed on this device"), "\(update)")

        // 1.3.0 never confirms: the device is back at the version of 0.1.
        for title in ["1.3.0", "1.3.0", "1.2.0"] {
            let page = try await Self.pages(["tickets/"], of: tool)
            #expect(page[0].contains("<title>tickets \(title)</title>"), "\(page)")
        }
        #expect(try await Self.status(tool).contains("  failed: 1.3.0, it was started 2 times and never confirmed"))
    }

    @Test(.onFolder) func `a damaged file in a store of 0.1 is fetched again from the registry of 0.1`() async throws {
        let tool = try await Self.unpacked()
        try tool.write(["device/unzipFiles/tickets/1.1.0/index.html": "damaged"])
        let repair = try await Self.output(
            tool, "client", "repair", "--store", "device", "--channel", "beta")
        let page = try tool.read("device/unzipFiles/tickets/1.1.0/index.html")
        #expect(String(decoding: page, as: UTF8.self).contains("<title>tickets 1.1.0</title>"), "\(repair)")
    }
}
