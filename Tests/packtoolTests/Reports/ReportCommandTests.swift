import Foundation
import PackJSON
import Testing

/// From a device's word to what a person reads: `client --reports`, `stats`, `device`, `reports delete`.
@Suite("ReportCommandTests") struct ReportCommandTests {
    private static func device(
        _ registry: LiveRegistry, _ store: String, _ arguments: String...
    ) async throws -> Outcome {
        try await registry.tool.run(
            ["client"] + arguments + ["--store", store, "--channel", "beta", "--registry", registry.url])
    }

    @Test func `a device that goes back to a version that it confirmed is no silent one`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<h1>one</h1>"])
        _ = try await Self.device(registry, "one", "update", "--reports", "on")
        _ = try await Self.device(registry, "one", "start")
        _ = try await Self.device(registry, "one", "confirm")
        try await registry.publish("shop", "1.1.0", files: ["index.html": "<h1>two</h1>"])
        _ = try await Self.device(registry, "one", "update")
        try await registry.tool.run("rollback", "shop", "--channel", "beta").expectSuccess()
        // A server looks once a second at what is offered.
        try await Task.sleep(for: .milliseconds(1100))
        let back = try await Self.device(registry, "one", "update")
        #expect(back.standardOutput.contains("1.0.0"), "\(back)")
        _ = try await Self.device(registry, "one", "start")
        // No page says anything any more: the version was confirmed long ago.
        _ = try await Self.device(registry, "one", "update")
        let stats = try await registry.tool.run("stats", "shop", "--channel", "beta", "--json").json().object()
        let old = try stats.array("versions").map { try $0.object() }.filter { try $0.string("version") == "1.0.0" }
        #expect(try old.reduce(0) { try $0 + $1.integer("activated") } == 2, "\(old)")
        #expect(try old.reduce(0) { try $0 + $1.integer("confirmed") } == 2, "\(old)")
        #expect(try old.allSatisfy { try $0.integer("waiting") == 0 && $0.integer("silent") == 0 }, "\(old)")
    }

    @Test func `what devices report is what stats and device show, and reports delete ends it`() async throws {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<h1>one</h1>"])
        let none = try await tool.run("stats", "--channel", "beta")
        #expect(none.exitCode == 0 && none.standardOutput.contains("no device"), "\(none)")
        #expect(none.standardError.contains("docs/REPORTS.md"), "\(none)")

        // The registry makes the zip, whose size savings are measured by, after the publication.
        let zip = registry.folder + "/view/packages/shop-1.0.0.zip"
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: zip) {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(1100))
        for store in ["one", "two"] {
            let updated = try await Self.device(registry, store, "update", "--reports", "on")
            #expect(updated.exitCode == 0, "\(updated)")
        }
        let silent = try await Self.device(registry, "three", "update")
        #expect(silent.exitCode == 0, "\(silent)")
        let off = try await Self.device(registry, "three", "reports")
        expectClearError(off, naming: ["off", "--reports on"], exitCode: 2)

        // What the device does next waits until it looks for updates again, and can be read before. It is the device of its last
        // update, on that channel.
        for verb in ["start", "confirm"] { try await tool.run("client", verb, "--store", "one").expectSuccess() }
        let shown = try await tool.run("client", "reports", "--show", "--store", "one")
        #expect(shown.standardOutput.contains("\"channel\":\"beta\""), "\(shown)")
        #expect(shown.standardOutput.contains("\"code\":\"confirmed\""), "\(shown)")
        #expect(!shown.standardOutput.contains("index.html") && !shown.standardOutput.contains("http"))
        let report = try JSONValue(parsing: shown.standardOutput).object()
        let id = try report.string("sender")
        _ = try await Self.device(registry, "one", "update")
        let sent = try await Self.device(registry, "one", "reports")
        #expect(sent.standardOutput.contains("nothing waits") && sent.standardOutput.contains(id), "\(sent)")

        let token = try await registry.token("--observe")
        let eyes = ["PACKTOOL_TOKEN": token]
        let stats = try await tool.run(
            "stats", "shop", "--channel", "beta", "--registry", registry.url, environment: eyes)
        let row = try #require(stats.standardOutput.split(separator: "\n").first { $0.hasPrefix("shop") })
        #expect(row.split(separator: " ").prefix(2) == ["shop", "1.0.0"] && row.contains("1 (50 %)"), "\(stats)")
        #expect(stats.standardOutput.contains("2 downloads:"), "\(stats)")
        let json = try await tool.run("stats", "--channel", "beta", "--json").json().object()
        let version = try json.array("versions")[0].object()
        #expect(try version.integer("activated") == 2 && version.integer("confirmed") == 1)
        #expect(try version.integer("waiting") == 1 && version.integer("silent") == 0)

        let timeline = try await tool.run("device", id, "--registry", registry.url, environment: eyes)
        let codes = timeline.standardOutput.split(separator: "\n").dropFirst().compactMap { line in
            line.split(separator: " ").dropFirst(5).first.map(String.init)
        }
        #expect(codes == ["offered", "downloaded", "installed", "activated", "confirmed"], "\(timeline)")

        let refused = try await tool.run("reports", "delete", id, "--registry", registry.url, environment: eyes)
        #expect(refused.exitCode == 1)
        expectClearError(refused, naming: ["admin"])
        let deleted = try await tool.run("reports", "delete", id)
        #expect(deleted.exitCode == 0 && deleted.standardOutput.contains("5 events"), "\(deleted)")
        let audit = try await tool.run("audit")
        #expect(audit.standardOutput.contains("reports delete") && audit.standardOutput.contains(id), "\(audit)")
        let gone = try await tool.run("device", id)
        expectClearError(gone, naming: [id], exitCode: 2)
        expectClearError(try await tool.run("device", "nobody"), naming: ["report id", "32"])
    }

    @Test func `a device says what it is only if its app lets it, and a simulation takes those that do`() async throws {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<h1>one</h1>"])
        try await Task.sleep(for: .milliseconds(1100))
        let facts = ["--platform", "ios", "--app-version", "3.2", "--os-version", "17.4.1"]
        func update(_ store: String, _ reports: String) async throws {
            let updated = try await tool.run(
                [
                    "client", "update", "--reports", reports, "--store", store, "--channel", "beta", "--registry",
                    registry.url,
                ] + facts)
            #expect(updated.exitCode == 0, "\(updated)")
        }
        try await update("silent", "on")
        let simulate = ["simulate", "shop", "--channel", "beta", "--population", "reports"]
        expectClearError(try await tool.run(simulate), naming: ["no device of beta", "includesFacts"])
        let none = try await tool.run("stats", "--channel", "beta", "--json").json().object()
        #expect(try none.object("population").integer("devices") == 0)

        for store in ["one", "two"] { try await update(store, "facts") }
        let stats = try await tool.run("stats", "--channel", "beta")
        let lines = stats.standardOutput.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.contains("2 devices of the last days by what they are and have"), "\(stats)")
        for line in ["platform ios 2 (100 %)", "app 3.2 2 (100 %)", "system 17.4 2 (100 %)", "shop 1.0.0 2 (100 %)"] {
            #expect(lines.contains(line), "\(line) in \(stats)")
        }
        try await registry.publish("shop", "1.1.0", files: ["index.html": "<h1>two</h1>"])
        let simulated = try await tool.run(simulate)
        #expect(simulated.exitCode == 0, "\(simulated)")
        #expect(simulated.standardOutput.contains("ios: 2 of 2 devices get it"), "\(simulated)")
        // What is sent about a device is on record under its id, and goes with it.
        let status = ["client", "reports", "--json", "--store", "one", "--channel", "beta", "--registry", registry.url]
        let report = try await tool.run(status + facts).json().object()
        let timeline = try await tool.run("device", report.string("id"))
        #expect(timeline.standardOutput.contains("ios, system 17.4, app 3.2"), "\(timeline)")
        // It was said, and turned off it is not said any more.
        try await update("one", "on")
        let shown = try await Self.device(registry, "one", "reports", "--show")
        #expect(!shown.standardOutput.contains("17.4"), "\(shown)")
    }

    @Test func `a device changes its id when it is told to, and stops when reports are off`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<h1>one</h1>"])
        _ = try await Self.device(registry, "one", "update", "--reports", "on")
        func id() async throws -> String {
            try await Self.device(registry, "one", "reports", "--json").json().object().string("id")
        }
        let first = try await id()
        let reset = try await Self.device(registry, "one", "reports", "--reset-id")
        #expect(reset.exitCode == 0 && !reset.standardOutput.contains(first), "\(reset)")
        #expect(try await id() != first)
        _ = try await Self.device(registry, "one", "update", "--reports", "off")
        #expect(try await Self.device(registry, "one", "reports").exitCode == 2)
        #expect(try registry.tool.listing("one").keys.filter { $0.hasPrefix("reports") }.isEmpty)
    }

    @Test func `a page's requests are counted, and reported when the run ends`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<h1>one</h1>", "app.js": "1"])
        _ = try await Self.device(registry, "one", "update", "--reports", "on")
        let arguments = ["--store", "one", "--channel", "beta", "--registry", registry.url, "--port", "0", "--json"]
        let serving = try registry.tool.start(["client", "serve"] + arguments)
        let line = try #require(await serving.line(holding: "\"url\""))
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        for path in ["/shop/", "/shop/app.js", "/shop/no.js"] {
            _ = try await registry.tool.shell("curl -s -b jar -c jar '\(url)\(path)'")
        }
        serving.kill(SIGTERM)
        _ = await serving.outcome()
        let stats = try await registry.tool.run("stats", "--channel", "beta", "--json").json().object()
        let pages = try stats.object("pages")
        #expect(try pages.integer("sessions") == 1, "\(stats)")
        #expect(try pages.integer("local") >= 2 && pages.integer("missed") >= 1, "\(stats)")
        #expect(try pages.integer("bytes") > 0, "\(stats)")
    }
}
