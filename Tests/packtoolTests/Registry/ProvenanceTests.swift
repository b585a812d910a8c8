import Foundation
import PackJSON
import Testing

/// How versions were built: signed by the publisher, kept by the registry, judged by securesystemslib, required by the owner.
@Suite(.onFolder) struct ProvenanceTests {
    /// What a job of GitHub Actions has.
    private static let job = [
        "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_SHA": "5b1c9a7e2f045b1c9a7e2f045b1c9a7e2f045b1c", "GITHUB_REF": "refs/heads/main",
        "GITHUB_WORKFLOW_REF": "acme/shop/.github/workflows/release.yml@refs/heads/main", "GITHUB_RUN_ID": "17",
        "GITHUB_RUN_ATTEMPT": "2", "RUNNER_ENVIRONMENT": "github-hosted",
    ]

    private static func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--app", "shop").expectSuccess()
        try tool.write(["package-lock.json": "{}"])
        return tool
    }

    private static func publish(
        _ version: String, _ tool: Tool, _ flags: [String] = ["--provenance"], _ environment: [String: String] = job
    ) async throws -> Outcome {
        try tool.write(["dist/index.html": "<title>\(version)</title><script>packtool.confirm()</script>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", version, "--quiet")
            .expectSuccess()
        return try await tool.run(
            ["publish", "packages/shop-\(version).zip", "--channel", "beta"] + flags, environment: environment)
    }

    @Test func `a version says what it was built of, and a foreign tool confirms who signed it`() async throws {
        let tool = try await Self.project()
        try await Self.publish("1.0.0", tool).expectSuccess()
        let shown = try await tool.run("inspect", "shop@1.0.0").expectSuccess().standardOutput
        for text in [
            "built     commit 5b1c9a7e2f045b1c9a7e2f045b1c9a7e2f045b1c, git+https://github.com/acme/shop, refs/heads/main",
            "by      https://github.com/actions/runner/github-hosted",
            "job     acme/shop/.github/workflows/release.yml@refs/heads/main",
            "run     https://github.com/acme/shop/actions/runs/17/attempts/2",
            "input   package-lock.json, SHA-256 44136fa355b3",
            "signed  by ",
        ] { #expect(shown.contains(text), "\(text) is not in\n\(shown)") }

        let server = try tool.start("serve", "--port", "0")
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://127.0.0.1:"))
        let url = line.trimmingCharacters(in: .whitespacesAndNewlines)
        let token = try await tool.run("token", "create", "auditor", "--observe", "--json").expectSuccess().json()
            .object()
        let field = "-H 'Authorization: Bearer \(try token.string("token"))'"
        func status(_ version: String, _ field: String) async throws -> String {
            try await tool.shell(
                "curl -s \(field) -o envelope.json -w '%{http_code}' '\(url)/v1/packages/shop/versions/\(version)/provenance'"
            ).standardOutput
        }
        // It names repositories, which are nobody's business who has no token.
        #expect(try await status("1.0.0", "") == "401")
        #expect(try await status("1.0.0", field) == "200")
        try await tool.shell("openssl pkey -in .packtool/keys/publisher.pem -pubout -out publisher.pub").expectSuccess()
        try tool.write([
            "judge.py": """
            import json
            from cryptography.hazmat.primitives.serialization import load_pem_public_key
            from securesystemslib.dsse import Envelope
            from securesystemslib.signer import SSlibKey
            key = SSlibKey.from_crypto(load_pem_public_key(open("publisher.pub", "rb").read()), keyid="publisher")
            document = json.load(open("envelope.json"))
            # It names keys by another digest than we do.
            for signature in document["signatures"]: signature["keyid"] = "publisher"
            envelope = Envelope.from_dict(document)
            envelope.verify([key], 1)
            statement = json.loads(envelope.payload)
            assert envelope.payload_type == "application/vnd.in-toto+json"
            assert statement["_type"] == "https://in-toto.io/Statement/v1", statement
            assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
            print(statement["subject"][0]["name"], statement["subject"][0]["digest"]["sha256"])
            """
        ])
        let python = Tool.project.appendingPathComponent(".cache/tuf-venv/bin/python").path
        try await tool.shell("'\(Tool.project.path)/scripts/tuf-venv'").expectSuccess()
        let judged = try await tool.shell("'\(python)' judge.py").expectSuccess().standardOutput
        let package = try await tool.run("inspect", "packages/shop-1.0.0.zip", "--json").expectSuccess().json().object()
        #expect(judged == "shop@1.0.0 \(try package.string("manifestDigest"))\n")

        // Outside of CI little is known, and that is said.
        try await Self.publish("1.1.0", tool, ["--provenance"], [:]).expectSuccess()
        let local = try await tool.run("inspect", "shop@1.1.0").expectSuccess().standardOutput
        #expect(local.contains("from sources that it does not name") && local.contains("builder:unknown"), "\(local)")
        try await Self.publish("1.2.0", tool, []).expectSuccess()
        let none = try await tool.run("inspect", "shop@1.2.0", "--json").expectSuccess().json().object()
        #expect(none["provenance"] == nil)
        #expect(try await status("1.2.0", field) == "404")
    }

    @Test func `where the owner requires it, no version comes without it, and only the owner takes that back`()
        async throws
    {
        let tool = try await Self.project()
        try await Self.publish("0.9.0", tool, ["--provenance"], [:]).expectSuccess()
        try await Self.publish("1.0.0", tool, []).expectSuccess()
        let said = try await tool.run("keys", "provenance", "required").expectSuccess()
        #expect(said.standardOutput.contains("the provenance of new versions is required"))
        #expect(try await tool.run("keys", "provenance", "required").exitCode == 2)
        for flags in [[], ["--dry-run"]] {
            let refused = try await Self.publish("1.1.0", tool, flags)
            expectClearError(refused, naming: ["the app's owner wants to know", "shop 1.1.0", "--provenance"])
        }
        // A statement that names no sources says nothing.
        let source = ["--source", "https://git.example.com/acme/shop"]
        for flags in [["--provenance"], ["--provenance", "--dry-run"], ["--provenance"] + source] {
            let refused = try await Self.publish("1.1.0", tool, flags, [:])
            expectClearError(
                refused, naming: ["shop 1.1.0", "repository and the commit", "--source URL", "--commit COMMIT"])
        }
        #expect(try await tool.run("inspect", "shop@1.1.0").exitCode != 0)
        try await Self.publish("1.1.0", tool).expectSuccess()
        try await Self.publish("1.1.1", tool, ["--provenance", "--commit", "abc"] + source, [:]).expectSuccess()
        let shown = try await tool.run("inspect", "shop@1.1.1").expectSuccess().standardOutput
        #expect(shown.contains("built     commit abc, git+https://git.example.com/acme/shop"), "\(shown)")
        // What is there stays, and is offered.
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "stable", "--yes").expectSuccess()
        let old = try await tool.run("inspect", "shop@0.9.0").expectSuccess().standardOutput
        #expect(old.contains("builder:unknown"), "\(old)")
        let owner = try tool.read(".packtool/keys/owner.pem")
        try await tool.shell("rm .packtool/keys/owner.pem").expectSuccess()
        expectClearError(try await tool.run("keys", "provenance", "optional"), naming: ["owner's key"])
        try owner.write(to: tool.folder.appendingPathComponent(".packtool/keys/owner.pem"))
        try await tool.shell("chmod 600 .packtool/keys/owner.pem").expectSuccess()
        try await tool.run("keys", "provenance", "optional").expectSuccess()
        try await Self.publish("1.2.0", tool, []).expectSuccess()
        // Devices take the owner's metadata as before.
        let update = try await tool.run("client", "update", "--store", "device", "--channel", "beta")
        #expect(update.standardOutput.contains("shop 1.2.0 is active"), "\(update)")
    }

    @Test func `a provenance that no publisher's key signed is shown, and fails`() async throws {
        let tool = try await Self.project()
        try await Self.publish("1.0.0", tool).expectSuccess()
        try await tool.run("inspect", "shop@1.0.0").expectSuccess()
        // Its key is not the owner's choice any more.
        try await tool.run("keys", "rotate", "publisher").expectSuccess()
        let shown = try await tool.run("inspect", "shop@1.0.0")
        #expect(shown.standardOutput.contains("signed  by no key that may publish it now"), "\(shown)")
        #expect(shown.exitCode == 1 && shown.standardError.contains("it proves nothing"), "\(shown)")
        let document = try await tool.run("inspect", "shop@1.0.0", "--json")
        #expect(document.exitCode == 1)
        #expect(try document.json().object().object("provenance").array("signedBy").isEmpty)
        // The zip itself says nothing of it, and a version with the new key's is whole.
        try await tool.run("inspect", "packages/shop-1.0.0.zip").expectSuccess()
        try await Self.publish("1.1.0", tool).expectSuccess()
        try await tool.run("inspect", "shop@1.1.0").expectSuccess()
    }
}
