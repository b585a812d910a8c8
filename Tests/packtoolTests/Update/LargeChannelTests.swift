import Foundation
import PackJSON
import TestSupport
import Testing

/// A channel whose file is too large for every device to read.
struct LargeChannelTests {
    private let tool: Tool
    /// Long, so that few packages make a large channel; devices that have the tag are in it.
    private static let audience = "tag.pad=yes," + (0..<60).map { String(format: "%032x", $0) }.joined(separator: ",")

    init() async throws {
        tool = try Tool()
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
    }

    private func build(_ package: String, _ version: String) async throws -> String {
        try tool.write(["dist/index.html": "<title>\(package) \(version)</title>"])
        try await tool.output(of: ["build", "dist", "--package", package, "--package-version", version, "--quiet"])
        return "packages/\(package)-\(version).zip"
    }

    private func publish(_ zips: [String]) async throws {
        try await tool.output(
            of: ["publish"] + zips
                + ["--channel", "stable", "--new-channel", "--separately", "--no-wait", "--audience", Self.audience])
    }

    private func update(_ device: String, _ url: String, _ more: String...) async throws {
        let outcome = try await tool.run(
            [
                "client", "update", "--store", device, "--channel", "stable", "--tag", "pad=yes", "--root",
                ".packtool/root.json", "--registry", url,
            ] + more)
        // 2: there is nothing to do.
        #expect([0, 2].contains(outcome.exitCode), "\(outcome)")
    }

    /// The title that a device shows of a package.
    private func title(_ device: String, _ package: String) async throws -> String {
        let started = try await tool.run("client", "start", "--store", device, "--package", package, "--json")
        let folder = try started.json().object().object("packages").object(package).string("folder")
        return try String(contentsOf: URL(filePath: "\(folder)/index.html"), encoding: .utf8)
    }

    @Test func `a device reads its own part of a large channel, and its next version with three requests`() async throws
    {
        var zips: [String] = []
        for number in 10..<70 { zips.append(try await build("page-\(number)", "1.0.0")) }
        try await publish(zips)
        let server = try tool.start("serve", "--port", "0")
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        /// The requests since the last call, without digests and numbers of versions.
        var count = 0
        func asked() -> [String] {
            let all = server.log.matches(of: /path=([^ ]+)/).map { String($0.output.1) }
            defer { count = all.count }
            return all.dropFirst(count).map {
                $0.replacing(/[0-9a-f]{64}/, with: "D").replacing(/\/[0-9]+\./, with: "/N.")
            }
        }

        try await update("one", url, "--package", "page-20")
        let first = asked()
        #expect(first.contains("/v1/bundle/1/stable"), "\(first)")
        #expect(first.count { $0.contains("/targets/channels/") } == 1, "\(first)")
        #expect(try await title("one", "page-20") == "<title>page-20 1.0.0</title>")

        try await publish([build("page-20", "1.1.0")])
        try await update("one", url, "--package", "page-20")
        #expect(asked() == ["/metadata/timestamp.json", "/metadata/N.recent.zst", "/patches/D/D.update"])
        #expect(try await title("one", "page-20") == "<title>page-20 1.1.0</title>")

        // Whoever has all packages reads the whole file, as older devices do.
        try await update("all", url)
        let whole = asked()
        #expect(whole.count { $0 == "/targets/channels/D.stable.v2.json" } == 1, "\(whole)")
        #expect(try await title("all", "page-39") == "<title>page-39 1.0.0</title>")

        // A gate that is off holds for a package before anybody opens it.
        try await tool.output(of: ["gate", "page-30", "--channel", "stable", "--off", "--yes"])
        try await update("one", url, "--package", "page-20")
        let offline = asked()
        #expect(!offline.contains { $0.contains(".stable.v2.json") }, "\(offline)")
        let status = try await tool.output(of: ["client", "status", "--store", "one", "--channel", "stable"])
        #expect(status.contains("page-30"), "\(status)")

        // What nobody here has is not read, and that is said.
        let explained = try await tool.output(of: [
            "client", "explain", "--store", "one", "--channel", "stable", "--package", "page-11", "--tag", "pad=yes",
        ])
        #expect(explained.contains("the last check did not read"), "\(explained)")
        let absent = try await tool.run(
            "client", "update", "--store", "one", "--channel", "stable", "--registry", url, "--package", "page-99")
        #expect(absent.exitCode != 0 && absent.standardError.contains("does not have the package"), "\(absent)")
        #expect(try await tool.output(of: ["registry", "check"]).contains("all sound"))
    }
}
