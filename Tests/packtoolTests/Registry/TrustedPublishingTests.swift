import Foundation
import PackJSON
import Testing

/// CI jobs that publish without a secret: their id tokens come from an issuer that signs with PyJWT.
@Suite(.onFolder) struct TrustedPublishingTests {
    private static let workflow = "acme/shop/.github/workflows/release.yml"

    /// A running issuer, and a server that may ask it.
    private struct Bench {
        let registry: LiveRegistry
        let issuer: RunningTool
        let url: String

        init() async throws {
            registry = try await LiveRegistry("--internal-issuers")
            issuer = try registry.tool.startScript("issuer.py")
            let line = try #require(await issuer.line(holding: "http://127.0.0.1:"))
            url = line.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// What a job of GitHub has in its environment.
        var job: [String: String] {
            [
                "GITHUB_ACTIONS": "true", "ACTIONS_ID_TOKEN_REQUEST_URL": "\(url)/id-token?api-version=2.0",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "job-secret", "PACKTOOL_REGISTRY": registry.url,
            ]
        }

        func trust(_ arguments: String...) async throws -> JSONObject {
            let made = try await registry.tool.run(
                ["token", "trust", url, "--audience", registry.url, "--json"] + arguments)
            return try made.expectSuccess().json().object()
        }
    }

    @Test func `a job gets a masked token of its trust, publishes with it, and the log says which job it was`()
        async throws
    {
        let bench = try await Bench()
        defer { bench.issuer.kill(SIGKILL) }
        let trust = try await bench.trust(
            "--claim", "repository=acme/shop", "--claim", "workflow_ref=\(Self.workflow)@*", "--claim",
            "environment=production",
            "--publish", "--release", "--package", "shop", "--channel", "beta", "--name", "releases")
        try await bench.registry.publish("shop", "0.9.0", files: ["index.html": "<title>0.9.0</title>"])
        let machine = try Tool(environment: bench.job)
        let root = bench.registry.tool.folder.appendingPathComponent(".packtool/root.json").path
        try machine.write(["dist/index.html": "<title>1.0.0</title>"])
        try await machine.shell("mkdir .packtool; cp '\(root)' .packtool").expectSuccess()
        try await machine.run("build", "dist", "--package", "shop", "--package-version", "1.0.0").expectSuccess()

        let exchanged = try await machine.run("token", "exchange").expectSuccess()
        let token = exchanged.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(token.hasPrefix("ptk_") && !token.contains("\n"))
        #expect(exchanged.standardError.contains("::add-mask::\(token)\n"), "\(exchanged)")
        #expect(exchanged.standardError.contains("holds for 15 minutes"), "\(exchanged)")
        let key = try String(decoding: bench.registry.tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        let secrets = ["PACKTOOL_TOKEN": token, "PACKTOOL_KEY": key]
        try await machine.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta", environment: secrets)
            .expectSuccess()
        let other = try await machine.run("rollback", "shop", "--channel", "stable", "--yes", environment: secrets)
        #expect(other.exitCode == 1 && other.standardError.contains("no right to release"), "\(other)")

        let log = try await bench.registry.tool.run("audit").expectSuccess().standardOutput
        #expect(log.contains("releases: repo:acme/shop:environment:production ("), "\(log)")
        let id = try trust.string("id")
        let listed = try await bench.registry.tool.run("token", "list").expectSuccess().standardOutput
        #expect(
            listed.contains(id) && listed.contains("for jobs of \(bench.url), audience \(bench.registry.url)"),
            "\(listed)")
        #expect(listed.contains("workflow_ref \(Self.workflow)@*"), "\(listed)")
        let kinds = listed.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(kinds.suffix(2) == ["trust", "job"] && kinds.dropLast(2).allSatisfy { $0 == "token" }, "\(listed)")

        // Each job leaves a token; half an hour later they are in nobody's way.
        for (more, isThere) in [([], false), (["--all"], true)] {
            let after = try await bench.registry.tool.start(["token", "list"] + more, clock: 1800).outcome()
            #expect(after.standardOutput.contains("repo:acme/shop") == isThere && after.exitCode == 0, "\(after)")
            #expect(after.standardError.contains("1 expired token of jobs: --all lists them") != isThere, "\(after)")
        }

        try await bench.registry.tool.run("token", "revoke", id).expectSuccess()
        let later = try await bench.registry.tool.run("token", "list").expectSuccess().standardOutput
        #expect(later.contains("ended, because its trust \(id) was revoked"), "\(later)")
        expectClearError(try await machine.run("token", "exchange"), naming: ["does not trust the issuer", bench.url])
        let ended = try await machine.run(
            "publish", "packages/shop-1.0.0.zip", "--channel", "beta", environment: secrets)
        #expect(ended.exitCode == 1 && ended.standardError.contains("no longer trusts"), "\(ended)")
    }

    @Test func `a job that the trust is not for is told what it lacks, and an id token counts once`() async throws {
        let bench = try await Bench()
        defer { bench.issuer.kill(SIGKILL) }
        _ = try await bench.trust(
            "--claim", "repository=acme/shop", "--claim", "environment=staging", "--name", "tests")
        let machine = try Tool(environment: bench.job)
        expectClearError(
            try await machine.run("token", "exchange"),
            naming: ["environment is production", "token list"])
        expectClearError(
            try await machine.run("token", "exchange", "--audience", "other"),
            naming: ["the audience other", "token list"])
        _ = try await bench.trust("--claim", "repository=acme/shop", "--name", "any")
        let asked = try await machine.shell(
            "curl -fsS -H 'Authorization: bearer job-secret' '\(bench.url)/id-token?api-version=2.0&audience=\(bench.registry.url)'"
        )
        let given = ["PACKTOOL_ID_TOKEN": try asked.json().object().string("value") + "\n"]
        try await machine.run("token", "exchange", environment: given).expectSuccess()
        expectClearError(try await machine.run("token", "exchange", environment: given), naming: ["exchanged before"])
    }

    @Test func `a job that runs for another branch, or in another environment, publishes nothing`() async throws {
        let bench = try await Bench()
        defer { bench.issuer.kill(SIGKILL) }
        _ = try await bench.trust(
            "--claim", "repository=acme/shop", "--claim", "environment=production", "--claim", "ref=refs/heads/main")
        let machine = try Tool(environment: bench.job)
        for (claims, said) in [
            ("&ref=refs/heads/mallory", "ref is refs/heads/mallory"), ("&ref=refs/tags/main", "ref is refs/tags/main"),
            ("&environment=staging", "environment is staging"), ("&environment=", "environment is not there"),
        ] {
            let asking = ["ACTIONS_ID_TOKEN_REQUEST_URL": "\(bench.url)/id-token?api-version=2.0\(claims)"]
            let refused = try await machine.run("token", "exchange", environment: asking)
            expectClearError(refused, naming: [said, "token list"])
            #expect(!refused.standardOutput.contains("ptk_"), "\(refused)")
        }
        try await machine.run("token", "exchange").expectSuccess()
    }

    @Test(arguments: [
        (
            ["github", "--repository", "acme/shop", "--workflow", "release.yml", "--environment", "production"],
            "https://token.actions.githubusercontent.com",
            ["repository": "acme/shop", "workflow_ref": "\(workflow)@*", "environment": "production"]
        ),
        (
            [
                "github", "--repository", "acme/shop", "--workflow", ".github/workflows/release.yml", "--ref",
                "refs/tags/v*",
            ],
            "https://token.actions.githubusercontent.com",
            ["repository": "acme/shop", "workflow_ref": "\(workflow)@refs/tags/v*", "ref": "refs/tags/v*"]
        ),
        (
            ["gitlab", "--repository", "acme/web/shop", "--workflow", ".gitlab-ci.yml", "--ref", "refs/heads/main"],
            "https://gitlab.com",
            [
                "project_path": "acme/web/shop", "ref_path": "refs/heads/main",
                "ci_config_ref_uri": "gitlab.com/acme/web/shop//.gitlab-ci.yml@refs/heads/main",
            ]
        ),
    ])
    func `the names that people use are the claims of their CI system`(
        arguments: [String], issuer: String, claims: [String: String]
    ) async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        let audience = ["--audience", "https://packages.example.com", "--json"]
        let made = try await tool.run(["token", "trust"] + arguments + audience).expectSuccess()
        let trust = try made.json().object().object("trust")
        #expect(try trust.string("issuer") == issuer)
        let found = try trust.object("claims").members.map { ($0.key, try $0.value.string()) }
        #expect(Dictionary(uniqueKeysWithValues: found) == claims)
    }

    @Test func `jobs of every branch are trusted only where somebody says so, and listed as such`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        let audience = ["--audience", "https://packages.example.com"]
        let github = ["github", "--repository", "acme/shop", "--workflow", "release.yml"]
        let gitlab = ["gitlab", "--repository", "acme/shop"]
        for arguments in [
            github, github + ["--ref", "refs/heads/*"], gitlab, gitlab + ["--workflow", ".gitlab-ci.yml"],
            gitlab + ["--claim", "ref_protected=false"],
        ] {
            let refused = try await tool.run(["token", "trust"] + arguments + audience)
            #expect(refused.exitCode == 64, "\(arguments): \(refused)")
            for word in [
                "--ref refs/heads/main", "--environment", "whoever can push a branch can publish", "--any-ref",
            ] {
                #expect(refused.standardError.contains(word), "\(arguments): \(refused)")
            }
        }
        for (arguments, word) in [
            (github + ["--ref", "refs/heads/main", "--any-ref"], "--any-ref contradicts"),
            (["https://issuer.example.com", "--claim", "sub=x", "--any-ref"], "--any-ref is for github and gitlab"),
        ] {
            let refused = try await tool.run(["token", "trust"] + arguments + audience)
            #expect(refused.exitCode == 64 && refused.standardError.contains(word), "\(arguments): \(refused)")
        }
        #expect(try await tool.run("token", "list").standardOutput.contains("there are no tokens"))

        let loose = try await tool.run(["token", "trust"] + github + ["--any-ref"] + audience).expectSuccess()
        #expect(loose.standardOutput.contains("jobs of every branch (--any-ref)"), "\(loose)")
        #expect(loose.standardError.contains("Whoever can push a branch"), "\(loose)")
        for pins in [["--ref", "refs/tags/v*"], ["--claim", "ref_protected=true"]] {
            let pinned = try await tool.run(["token", "trust"] + gitlab + pins + audience).expectSuccess()
            #expect(!pinned.description.contains("every branch"), "\(pinned)")
        }
        let rows = try await tool.run("token", "list").expectSuccess().standardOutput.split(separator: "\n").dropFirst()
        let named = rows.filter { $0.contains("of every branch, so whoever can push one gets these rights") }
        #expect(rows.count == 3 && named.count == 1 && named.first?.contains("workflow_ref") == true, "\(rows)")
    }

    @Test func `what is missing is said with what to do, and nothing is trusted`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config").expectSuccess()
        let audience = ["--audience", "https://packages.example.com"]
        for (arguments, words) in [
            (["github", "--repository", "acme/shop"] + audience, ["--workflow FILE"]),
            (["github", "--workflow", "x.yml"] + audience, ["--repository OWNER/NAME"]),
            (
                ["gitlab", "--repository", "shop", "--ref", "refs/heads/main"] + audience,
                ["--repository GROUP/PROJECT"]
            ),
            (["gitlab", "--repository", "acme/shop", "--ref", "main"] + audience, ["refs/heads/main"]),
            (["https://issuer.example.com", "--repository", "acme/shop"] + audience, ["--claim NAME=TEXT"]),
            (["https://issuer.example.com"] + audience, ["1 to 20 claims"]),
            (["http://issuer.example.com", "--claim", "sub=x"] + audience, ["https URL"]),
            (["https://issuer.example.com", "--claim", "sub"] + audience, ["NAME=TEXT"]),
            (["https://issuer.example.com", "--claim", "sub=x"], ["--audience", "https://packages.example.com"]),
            (
                ["https://issuer.example.com", "--claim", "sub=x", "--admin"] + audience,
                ["no job gets the admin right"]
            ),
        ] {
            let outcome = try await tool.run(["token", "trust"] + arguments)
            #expect([1, 64].contains(outcome.exitCode), "\(arguments): \(outcome)")
            for word in words { #expect(outcome.standardError.contains(word), "\(arguments): \(outcome)") }
        }
        #expect(try await tool.run("token", "list").standardOutput.contains("there are no tokens"))
        expectClearError(try await tool.run("token", "exchange"), naming: ["server", "--registry"])
        let nobody = try await tool.run("token", "exchange", "--registry", "http://127.0.0.1:9")
        expectClearError(nobody, naming: ["id-token: write", "PACKTOOL_ID_TOKEN", "aud: http://127.0.0.1:9"])
    }
}
