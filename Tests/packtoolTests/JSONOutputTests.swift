import Foundation
import PackJSON
import Testing

/// `docs/schema/output.schema.json` against what commands print.
struct JSONOutputTests {
    private static let schema = Tool.project.appendingPathComponent("docs/schema/output.schema.json")

    /// What is said for each command, validated by another program's reading of JSON Schema.
    private static func validate(_ documents: [(command: String, text: String)]) async throws {
        let tool = try Tool()
        for (number, document) in documents.enumerated() { try tool.write(["\(number).json": document.text]) }
        let names = documents.map(\.command)
        let list = JSONValue.array(names.map { .string($0) }).compactText
        try tool.write([
            "names.json": list,
            "validate.py": """
            import json, jsonschema
            schema = json.load(open("\(schema.path)"))
            for number, name in enumerate(json.load(open("names.json"))):
                part = schema["$defs"][name] if name == "error" else schema["properties"][name]
                document = json.load(open(f"{number}.json"))
                for fault in jsonschema.Draft202012Validator({**part, "$defs": schema["$defs"]}).iter_errors(document):
                    print(f"{name}: {list(fault.absolute_path)}: {fault.message}")
            """,
        ])
        let outcome = try await tool.shell("python3 -W ignore validate.py")
        #expect(outcome.exitCode == 0 && outcome.standardOutput.isEmpty, "\(outcome)")
    }

    /// Sends an event to a server of the project's registry.
    private static func report(_ event: String, _ sender: String, _ tool: Tool) async throws {
        let server = try tool.start("serve", "--port", "0")
        let line = try #require(await server.line(holding: "http://127.0.0.1:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        let body = #"{"format": 1, "sender": "\#(sender)", "channel": "beta", "events": [\#(event)]}"#
        let sent = try await tool.shell(
            "curl -sf -H 'Content-Type: application/json' -d '\(body)' \(url)/v1/reports")
        #expect(sent.exitCode == 0, "\(sent)")
        server.kill(SIGTERM)
        _ = await server.outcome()
    }

    /// What somebody else prints, who approves a change over a server.
    private static func approve(_ id: String, _ tool: Tool) async throws -> String {
        let token = try await tool.run("token", "create", "bob", "--release").expectSuccess().standardOutput
        let server = try tool.start("serve", "--port", "0")
        let line = try #require(await server.line(holding: "http://127.0.0.1:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        let approved = try await tool.run(
            "changes", "approve", id, "--registry", url, "--json",
            environment: ["PACKTOOL_TOKEN": token.trimmingCharacters(in: .whitespacesAndNewlines)])
        #expect(approved.exitCode == 0, "\(approved)")
        server.kill(SIGTERM)
        _ = await server.outcome()
        return approved.standardOutput
    }

    /// What a CI job prints that gets a token.
    private static func exchange(_ tool: Tool) async throws -> String {
        let issuer = try tool.startScript("issuer.py")
        defer { issuer.kill(SIGKILL) }
        let name = try #require(await issuer.line(holding: "http://")).trimmingCharacters(in: .whitespacesAndNewlines)
        let server = try tool.start("serve", "--port", "0", "--internal-issuers")
        let line = try #require(await server.line(holding: "http://127.0.0.1:"))
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        try await tool.run("token", "trust", name, "--claim", "repository=acme/shop", "--audience", url).expectSuccess()
        let exchanged = try await tool.run(
            "token", "exchange", "--registry", url, "--json",
            environment: [
                "ACTIONS_ID_TOKEN_REQUEST_URL": "\(name)/id-token?api-version=2.0",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "job-secret",
            ]
        ).expectSuccess()
        server.kill(SIGTERM)
        _ = await server.outcome()
        return exchanged.standardOutput
    }

    @Test func `what every command prints is as its schema says, and every command has one`() async throws {
        let tool = try Tool()
        var documents: [(command: String, text: String)] = []
        func run(_ command: String, _ arguments: String..., codes: Set<Int32> = [0]) async throws {
            try await run(command, arguments, codes: codes)
        }
        func run(_ command: String, _ arguments: [String], codes: Set<Int32> = [0]) async throws {
            let outcome = try await tool.run(command.split(separator: " ").map(String.init) + arguments + ["--json"])
            #expect(codes.contains(outcome.exitCode), "\(command) \(arguments): \(outcome)")
            documents.append((command, outcome.standardOutput))
        }
        func serve(_ command: String, _ arguments: String...) async throws {
            let all = command.split(separator: " ").map(String.init) + arguments + ["--port", "0", "--json"]
            let server = try tool.start(all)
            _ = try await server.line(holding: "}")
            server.kill(SIGTERM)
            documents.append((command, await server.outcome().standardOutput))
        }
        try await run("init", "--app", "demo", "--package", "ferries")
        let registry = ["--registry", ".packtool/registry"]
        for version in ["1.0.0", "1.1.0"] {
            try await run("build", "dist", "--package-version", version)
            try await run("publish", "packages/ferries-\(version).zip", "--channel", "beta")
        }
        try await tool.writeZips(["export/import/1.0.0.zip": ["index.html": "<title>old</title>"]])
        try tool.write([
            "export/import.csv": """
            file,channel,created,note,app,percent,mandatory
            import/1.0.0.zip,old,2024-01-01,x,>=1.0.0,5,yes
            """
        ])
        for more in [["--dry-run"], [], []] {
            try await run("import", ["export", "--from", "zips", "--package", "old", "--new-channel"] + more)
        }
        try await run("inspect", "ferries@1.0.0")
        try await run("verify", "packages/ferries-1.0.0.zip", "Package.json", codes: [1])
        try await run("diff", "packages/ferries-1.0.0.zip", "packages/ferries-1.1.0.zip")
        try await run("preset", "ferries", "--channel", "beta", "--out", "preset")
        try await run("promote", "ferries", "--from", "beta", "--to", "stable", "--new-channel")
        try await run("rollout set", "ferries", "--channel", "beta", "--percent", "50", "--yes")
        try await run("release", "ferries@1.1.0", "--channel", "dev", "--new-channel")
        try await run("explain", "ferries", "--channel", "beta", "--device", "d1", "--platform", "ios")
        try tool.write(["people.json": #"{"devices": 100}"#])
        try await run("simulate", "ferries", "--channel", "beta", "--population", "people.json")
        try await run("channel", "beta", "--poll", "15m")
        try await run("gate", "ferries", "--channel", "beta", "--off", "--yes")
        try await run("gate", "ferries", "--channel", "beta")
        try tool.write([
            "ids.txt": "ann\n", "rules.json": #"{"format":1,"rules":[{"name":"a","action":"deny","host":"b"}]}"#,
        ])
        try await run("rules", "rules.json", "--channel", "beta")
        try await run("rules", "--channel", "beta")
        try await run("group set", "testers", "--channel", "beta", "--file", "ids.txt")
        try await run("group list", "--channel", "beta")
        // A plan for a release, and every word for it.
        try tool.write([
            "plan.json": """
            {"start": "manual", "devices": 100,
             "steps": [{"share": "0.5", "for": "1h"}, {"share": 70, "for": "1h"}, {"share": 80}]}
            """
        ])
        try await run("promote", "ferries", "--from", "stable", "--to", "gamma", "--rollout", "0", "--yes")
        let gamma = ["ferries", "--channel", "gamma", "--yes"]
        try await run("rollout set", gamma[0], gamma[1], gamma[2], gamma[3], "--plan", "plan.json")
        for verb in ["start", "pause", "resume", "advance", "halt", "resume", "retry", "complete"] {
            try await run("rollout \(verb)", gamma[0], gamma[1], gamma[2], gamma[3])
        }
        try await run("rollout status", "ferries")
        try await run("rollout run")
        try await run("rollout rollback", gamma[0], gamma[1], gamma[2], gamma[3])
        try await run("channel", "stable", "--approvals", "1")
        try await run("gate", "ferries", "--channel", "stable", "--off", "--propose", "--yes")
        for code: Int32 in [0, 2] {
            try await run("gate", "ferries", "--channel", "stable", "--on", "--propose", codes: [code])
        }
        try await run("channel", "stable", "--poll", "2h", "--propose")
        try await run("changes reject", "4", "--reason", "once is enough")
        documents.append(("changes approve", try await Self.approve("3", tool)))
        try await run("changes list", "--all")
        try await run("changes show", "3")
        try await run("channel", "stable", "--approvals", "0", "--emergency", "--reason", "a test")
        try await run("status")
        try await run("group remove", "testers", "--channel", "beta")
        try await serve("serve")
        try await serve("preview", "dist")
        try await run("stats", "--channel", "beta")
        let sender = String(repeating: "a", count: 32)
        try await Self.report(#"{"sequence": 1, "code": "gateOff", "time": 0, "package": "ferries"}"#, sender, tool)
        try await run("device", sender)
        try await run("reports delete", sender)
        try await run("token create", "ci", "--package", "ferries", "--channel", "beta", registry[0], registry[1])
        documents.append(("token exchange", try await Self.exchange(tool)))
        try await run(
            "token trust", "github", "--repository", "acme/shop", "--workflow", "x.yml", "--ref",
            "refs/heads/main", "--audience", "https://example.com", registry[0], registry[1])
        try await run("token list", registry[0], registry[1])
        let token = try JSONValue(parsing: Array((documents.last?.text ?? "").utf8)).object().array("tokens")[0]
            .object()
        try await run("token revoke", token.string("id"), registry[0], registry[1])
        try await run(
            "webhook add", "https://hooks.example.com/x", "--form", "slack", "--events", "halt,test", registry[0],
            registry[1])
        try await run("webhook list", registry[0], registry[1])
        let hook = try JSONValue(parsing: Array((documents.last?.text ?? "").utf8)).object().array("webhooks")[0]
            .object().string("id")
        try await run("webhook test", hook, registry[0], registry[1])
        try await run("webhook dead-letters", registry[0], registry[1])
        try await run("webhook dead-letters", "--retry", registry[0], registry[1])
        try await run("webhook remove", hook, registry[0], registry[1])
        let device = ["--store", "device", "--channel", "stable"]
        try await run("client update", device[0], device[1], device[2], device[3])
        try await run("client start", device[0], device[1], "--reports", "on")
        try await run("client reports", device[0], device[1], "--reset-id")
        try await run("client reports", device[0], device[1])
        try await run("client confirm", device[0], device[1])
        try await run("client status", device[0], device[1])
        try await run("client explain", device[0], device[1])
        try await run("client repair", device[0], device[1])
        try await run("client gc", device[0], device[1])
        try await run("client install", "packages/ferries-1.0.0.zip", device[0], device[1])
        try await run("client rollback", device[0], device[1])
        try await serve("client serve", device[0], device[1])
        try await run("rollback", "ferries", "--channel", "beta")
        try await run("withdraw", "ferries@1.1.0", "--reason", "a test", "--yes")
        try await run("audit")
        try await run("registry check")
        try await run("patches", "--plan")
        // A bucket and a database are backed up by their own tools.
        try await run("registry backup", "backups", codes: Tool.isOnStorage ? [1] : [0])
        try await run("registry restore", "backups", "--dry-run", codes: Tool.isOnStorage ? [1] : [0])
        try await tool.stopServerOfStorage()
        try await run("registry copy", "copy")
        try await run("registry prune", "--dry-run")
        try await run("doctor", codes: [0, 1])
        try await run("renew")
        try await run("keys newest", "ferries", codes: [0, 2])
        for need in ["required", "optional"] { try await run("keys provenance", need) }
        try await run("keys list")
        try await run("keys delegate", "other")
        for name in ["publisher", "owner", "online"] { try await run("keys rotate", name) }
        let other = try Tool()
        let key = try await other.run("keys", "generate", "root", "--json").expectSuccess()
        documents.append(("keys generate", key.standardOutput))
        let made = try key.json().object().object("key")
        try await run(
            "keys propose", "root", "--add", "\(made.string("scheme")):\(made.string("value"))", "--out", "change.json")
        try await run("keys sign", "change.json")
        try await run("keys verify", "change.json", codes: [0, 2])
        try await run("keys submit", "change.json", codes: [0, 1])
        let second = try await other.run("keys", "generate", "publisher", "--json").expectSuccess().json().object()
        let publisher = try second.object("key")
        try await run(
            "keys delegate", "other", "--key", "\(publisher.string("scheme")):\(publisher.string("value"))", codes: [0])
        try await run("keys revoke", publisher.string("id"))
        documents = documents.map { document in
            document.text.contains("\"exitCode\"") ? ("error", document.text) : document
        }
        documents.append(("error", try await tool.run("status", "--channel", "betta", "--json").standardOutput))
        try await Self.validate(documents)

        let leaves = try await CommandLineTests.commands().filter(\.isLeaf).map { $0.path.joined(separator: " ") }
        let properties = try JSONValue(parsing: Array(Data(contentsOf: Self.schema))).object().object("properties")
        #expect(Set(properties.members.map(\.key)) == Set(leaves))
        let folderOnly: Set = Tool.isOnStorage ? ["registry backup", "registry restore"] : []
        #expect(Set(leaves).subtracting(documents.map(\.command)) == folderOnly)
    }
}
