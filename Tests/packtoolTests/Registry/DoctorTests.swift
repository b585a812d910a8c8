import Foundation
import PackJSON
import Testing

/// `packtool doctor` on real projects, servers and apps, whole and broken.
struct DoctorTests {
    /// Code and level of each finding.
    private func findings(_ outcome: Outcome) throws -> [String: String] {
        var found: [String: String] = [:]
        for value in try outcome.json().object().array("findings") {
            let finding = try value.object()
            let (code, level) = try (finding.string("code"), finding.string("level"))
            #expect(try level == "ok" || !finding.string("fix").isEmpty, "\(code) has no fix")
            // The worst of a code.
            if found[code] == nil || level == "error" || level == "warning" && found[code] == "ok" {
                found[code] = level
            }
        }
        return found
    }

    @Test func `a project as packtool init makes it has nothing to mend`() async throws {
        let tool = try Tool()
        try await tool.shell("git init -q . && git config user.email a@b && git config user.name a")
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        let whole = try await tool.run("doctor", "--json")
        let found = try findings(whole)
        #expect(whole.exitCode == 0, "\(whole)")
        for code in [
            "configuration", "root", "root-expiry", "key-file", "git-ignore", "git-keys", "registry", "trust",
            "signature-expiry",
        ] {
            #expect(found[code] == "ok", "\(code): \(found[code] ?? "missing")")
        }
        #expect(found["publisher-key"] == "ok" && found["delegation"] == "warning")
        // A warning fails only where it is asked for.
        #expect(try await tool.run("doctor", "--strict").exitCode == 1)
        let text = try await tool.run("doctor")
        #expect(text.standardOutput.contains("ok       .packtool/root.json: version 1 [root]"), "\(text)")
        #expect(text.standardOutput.contains("0 errors, 1 warning in"))
    }

    @Test(.onFolder) func `each fault of a project has its code`() async throws {
        let tool = try Tool()
        try await tool.shell("git init -q . && git config user.email a@b && git config user.name a")
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        try await tool.shell(
            "chmod 644 .packtool/keys/owner.pem; git add -f .packtool/keys/owner.pem; echo 'root.json' >> .packtool/.gitignore"
        )
        let broken = try await tool.run("doctor", "--json")
        let found = try findings(broken)
        #expect(broken.exitCode == 1)
        #expect(
            found["key-file"] == "error" && found["git-keys"] == "error" && found["git-ignore"] == "error", "\(found)")
        #expect(found["root"] == "ok")
        try await tool.shell("printf '{' > .packtool/root.json; printf '{' > packtool.json")
        #expect(try findings(await tool.run("doctor", "--json"))["configuration"] == "error")
        try await tool.shell("printf '{}' > packtool.json")
        let after = try findings(await tool.run("doctor", "--json"))
        #expect(after["root"] == "error" && after["trust"] == "error", "\(after)")
        try await tool.shell("rm .packtool/root.json; rm -r .packtool/registry")
        let without = try findings(await tool.run("doctor", "--json"))
        #expect(without["root"] == "error" && without["registry"] == "error", "\(without)")
    }

    @Test func `a server and its token are looked at over HTTP, and a careless proxy is found out`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "one"])
        let tool = registry.tool
        let direct = try await tool.run("doctor", "--server", registry.url, "--json")
        let found = try findings(direct)
        #expect(direct.exitCode == 0, "\(direct)")
        let codes = [
            "tls", "clock", "timestamp-cache", "timestamp-fresh", "conditional-requests", "ranges", "immutable-cache",
            "content-coding", "headers",
        ]
        for code in codes { #expect(found[code] == "ok", "\(code): \(found[code] ?? "missing")") }

        let proxy = try tool.startScript("careless_proxy.py", registry.url)
        defer { proxy.kill(SIGKILL) }
        let line = try #require(await proxy.line(holding: "http://127.0.0.1:"))
        let through = try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output
        // What the proxy keeps is older than what the registry has.
        _ = try await tool.run("doctor", "--server", String(through))
        try await registry.publish("shop", "1.1.0", files: ["index.html": "two"])
        let behind = try await tool.run("doctor", "--server", String(through), "--json")
        let faults = try findings(behind)
        #expect(behind.exitCode == 1)
        for code in ["clock", "timestamp-cache", "timestamp-fresh"] {
            #expect(faults[code] == "error", "\(code): \(faults)")
        }
        for code in ["conditional-requests", "ranges", "immutable-cache", "content-coding", "headers"] {
            #expect(faults[code] == "warning", "\(code): \(faults)")
        }

        let token = try await registry.token("--publish", "--package", "shop", "--days", "10")
        let own = try await tool.run(
            "doctor", "--registry", registry.url, "--json", environment: ["PACKTOOL_TOKEN": token])
        let seen = try findings(own)
        #expect(seen["token"] == "ok" && seen["token-expiry"] == "warning" && seen["trust"] == "ok", "\(own)")
        #expect(own.standardOutput.contains("it may publish, packages shop, all channels"))
        let wrong = try await tool.run(
            "doctor", "--registry", registry.url, "--json", environment: ["PACKTOOL_TOKEN": "ptk_wrong"])
        #expect(try findings(wrong)["token"] == "error" && wrong.exitCode == 1)
        #expect(try findings(await tool.run("doctor", "--registry", registry.url, "--json"))["token"] == "warning")
        registry.stop()
        let gone = try await tool.run("doctor", "--server", registry.url, "--json")
        #expect(try findings(gone)["registry"] == "error" && gone.exitCode == 1)
        // One fault is one error, whatever else would have been asked there.
        let project = try await tool.run(
            "doctor", "--registry", registry.url, environment: ["PACKTOOL_TOKEN": token])
        #expect(
            project.exitCode == 1 && project.standardOutput.contains("it does not answer")
                && project.standardOutput.contains("1 error,"), "\(project)")
    }

    @Test func `an app's folder is looked at for its root, presets and exceptions`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "one"])
        let tool = registry.tool
        try tool.write(["app/readme": ""])
        let empty = try findings(await tool.run("doctor", "--app", "app", "--json"))
        #expect(empty["app-root"] == "error" && empty["preset"] == "warning", "\(empty)")
        #expect(
            try await tool.run("preset", "shop", "--channel", "beta", "--out", "app/Resources/preset").exitCode == 0)
        try await tool.shell("cp .packtool/root.json app/Resources/root.json")
        let plist = { (body: String) in
            "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(body)</dict></plist>"
        }
        try tool.write(["app/Info.plist": plist("")])
        let whole = try await tool.run("doctor", "--app", "app", "--json")
        #expect(whole.exitCode == 0, "\(whole)")
        #expect(
            try findings(whole) == ["app-root": "ok", "app-root-expiry": "ok", "preset": "ok", "info-plist": "ok"],
            "\(whole)")
        try tool.write([
            "app/Info.plist": plist(
                "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>")
        ])
        try await tool.shell("find app -path '*manifests*' -name '*.json' | head -1 | xargs -I{} sh -c 'echo x >> {}'")
        let other = try Tool()
        #expect(try await other.run("init", "--template", "config").exitCode == 0)
        try await tool.shell("cp \(other.folder.path)/.packtool/root.json app/Resources/root.json")
        let broken = try findings(await tool.run("doctor", "--app", "app", "--json"))
        #expect(
            broken["app-root"] == "error" && broken["preset"] == "error" && broken["info-plist"] == "warning",
            "\(broken)")
    }

    @Test func `every code is explained`() throws {
        let document = try String(contentsOf: Tool.project.appendingPathComponent("docs/DOCTOR.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Tool.project.appendingPathComponent("Sources/PackDoctor/DoctorCode.swift"), encoding: .utf8)
        let codes = source.matches(of: /case (\w+)(?: = "([a-z-]+)")?/).map { String($0.2 ?? $0.1) }
        let rows = document.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.1) }
        #expect(Set(codes) == Set(rows) && codes.count == rows.count)
    }

    @Test(arguments: ["q", "interrupt"])
    func `status --watch shows what changes, and gives the terminal back`(key: String) async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "one"])
        let tool = registry.tool
        let change = "\(Tool.executable.path) rollout shop --channel beta --percent 10 --yes"
        let script = Tool.project.appendingPathComponent("Tests/Tools/watch_terminal.py").path
        let outcome = try await tool.run(
            URL(fileURLWithPath: "/usr/bin/python3"),
            [script, Tool.executable.path, key, change, "--", "status", "--watch", "--interval", "1"], environment: [:])
        let seen = try outcome.json().object()
        let (first, last) = try (seen.string("first"), seen.string("last"))
        #expect(first.contains("PACKAGE") && first.contains("1.0.0") && first.contains("none since"), "\(first)")
        #expect(last.contains("beta: shop 1.0.0 → 1.0.0 10 %"), "\(last)")
        for line in last.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
        #expect(last.split(separator: "\n", omittingEmptySubsequences: false).count <= 24)
        #expect(try seen.integer("exit") == 0 && seen.bool("began") && seen.bool("isRestored"), "\(outcome)")
        let piped = try await tool.run("status", "--watch")
        #expect(piped.exitCode == 1 && piped.standardError.contains("--watch needs a terminal"))
        #expect(try await tool.run("status", "--watch", "--json").exitCode == 64)
    }
}
