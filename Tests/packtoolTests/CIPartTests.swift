import Foundation
import PackJSON
import Testing

/// The GitHub Action and the GitLab component: their shell, executed against a live registry.
struct CIPartTests {
    /// Prints the steps as JSON, with the inputs in the places where the service puts them.
    private static let reader = """
        import json, re, sys, yaml
        documents = list(yaml.safe_load_all(open(sys.argv[1])))
        given = json.loads(sys.argv[2])
        inputs = documents[0]["inputs"] if "inputs" in documents[0] else documents[0]["spec"]["inputs"]
        values = {name: str(given.pop(name, (field or {}).get("default", ""))) for name, field in inputs.items()}
        assert not given, given
        def fill(text):
            return re.sub(r"\\$(?:\\{\\{|\\[\\[) *inputs\\.(\\w+) *(?:\\}\\}|\\]\\])", lambda match: values[match[1]], text)
        if "runs" in documents[0]:
            steps = [{"run": step["run"], "env": {k: fill(v) for k, v in step["env"].items()}}
                     for step in documents[0]["runs"]["steps"]]
        else:
            job = documents[1]["packtool"]
            steps = [{"run": "\\n".join(job["before_script"] + job["script"]),
                      "env": {k: fill(v) for k, v in job["variables"].items()}}]
        print(json.dumps(steps))
        """

    @Test(arguments: ["github-action", "gitlab-component"], [true, false])
    func `the steps build, publish and show a package, with packtool downloaded or of npm`(
        template: String, isDownloaded: Bool
    ) async throws {
        let registry = try await LiveRegistry()
        let tool = try Tool()
        let outcomes = try await Self.run(
            template, registry, tool, isDownloaded: isDownloaded,
            inputs: ["arguments": "--prerelease ci.17 --strict-new"])
        #expect(!outcomes.isEmpty && outcomes.allSatisfy { $0.exitCode == 0 }, "\(outcomes)")
        let last = outcomes.last?.standardOutput ?? ""
        #expect(last.contains("checkout") && last.contains("1.0.0-ci.17") && last.contains("25"), "\(last)")
        if template == "github-action" {
            let said = try String(contentsOf: tool.folder.appendingPathComponent("github-output"), encoding: .utf8)
            #expect(said == "packages<<END\n.packtool/packages/checkout-1.0.0-ci.17.zip\nEND\n")
        }
    }

    @Test(arguments: ["github-action", "gitlab-component"])
    func `the steps end at a warning that the published version does not have, where nothing else is asked`(
        template: String
    ) async throws {
        let registry = try await LiveRegistry()
        let outcomes = try await Self.run(
            template, registry, Tool(), isDownloaded: false, pages: CITemplateTests.lackingPages)
        #expect(outcomes.dropLast().allSatisfy { $0.exitCode == 0 }, "\(outcomes)")
        try CITemplateTests.expectNewWarning(#require(outcomes.last))
        let status = try await registry.tool.run("status", "--registry", registry.folder).expectSuccess()
        #expect(status.standardOutput.contains("0.9.0") && !status.standardOutput.contains("1.0.0"), "\(status)")
    }

    @Test(arguments: ["github-action", "gitlab-component"], ["refs/heads/main", "refs/heads/mallory"])
    func `a job that the registry trusts publishes without a token, and one of another branch does not`(
        template: String, ref: String
    ) async throws {
        let registry = try await LiveRegistry("--internal-issuers")
        let issuer = try registry.tool.startScript("issuer.py")
        defer { issuer.kill(SIGKILL) }
        let url = try #require(await issuer.line(holding: "http://")).trimmingCharacters(in: .whitespacesAndNewlines)
        try await registry.tool.run(
            "token", "trust", url, "--claim", "repository=acme/shop", "--claim", "ref=refs/heads/main", "--audience",
            registry.url, "--channel", "beta"
        ).expectSuccess()
        let asked = "\(url)/id-token?api-version=2.0&ref=\(ref)"
        var job = [
            "GITHUB_ACTIONS": "true", "ACTIONS_ID_TOKEN_REQUEST_URL": asked,
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "job-secret",
        ]
        if template == "gitlab-component" {
            // GitLab makes the id token before the job begins, for the audience that the component names.
            let made = try await registry.tool.shell(
                "curl -fsS -H 'Authorization: bearer job-secret' '\(asked)&audience=\(registry.url)'")
            job = ["PACKTOOL_ID_TOKEN": try made.json().object().string("value")]
        }
        let outcomes = try await Self.run(
            template, registry, Tool(), isDownloaded: false, inputs: ["arguments": "--prerelease ci.17"], job: job)
        let last = try #require(outcomes.last)
        let log = try await registry.tool.run("audit").expectSuccess().standardOutput
        let status = try await registry.tool.run("status", "--registry", registry.folder).expectSuccess()
        if ref == "refs/heads/main" {
            #expect(outcomes.allSatisfy { $0.exitCode == 0 }, "\(outcomes)")
            #expect(last.standardOutput.contains("1.0.0-ci.17") && last.standardOutput.contains("25"), "\(last)")
            #expect(log.contains("repo:acme/shop:environment:production ("), "\(log)")
        } else {
            #expect(last.exitCode == 1 && last.standardError.contains("ref is refs/heads/mallory"), "\(last)")
            #expect(!log.contains("repo:acme/shop"), "\(log)")
        }
        #expect(status.standardOutput.contains("1.0.0-ci.17") == (ref == "refs/heads/main"), "\(status)")
    }

    /// Runs the steps until one fails, as the service does, in a repository with the template.
    /// - Parameters:
    ///   - pages: what its site has besides the template's files.
    ///   - job: what the CI system gives the job in place of a token.
    private static func run(
        _ template: String, _ registry: LiveRegistry, _ tool: Tool, isDownloaded: Bool,
        inputs given: [String: String] = [:],
        pages: [String: String] = [:], job: [String: String]? = nil
    ) async throws -> [Outcome] {
        try await tool.run("init", "checkout", "--template", "site", "--template", template).expectSuccess()
        for (name, text) in pages { try tool.write(["checkout/dist/\(name)": text]) }
        try await registry.publish("checkout", "0.9.0", files: CITemplateTests.publishedFiles)
        let root = registry.tool.folder.appendingPathComponent(".packtool/root.json").path
        try await tool.shell("rm -rf checkout/.packtool && mkdir checkout/.packtool && cp '\(root)' checkout/.packtool")
        let settings = try await registry.publisherEnvironment()
        let (key, token) = try (#require(settings["PACKTOOL_KEY"]), #require(settings["PACKTOOL_TOKEN"]))
        let file = template == "github-action" ? ".github/actions/packtool/action.yml" : "templates/packtool.yml"

        var inputs = ["registry": registry.url, "rollout": "25"].merging(given) { $1 }
        if isDownloaded {
            let digest = try await tool.shell("sha256sum < '\(Tool.executable.path)' | cut -d ' ' -f 1").standardOutput
            inputs["url"] = Tool.executable.absoluteString
            inputs["sha256"] = digest.trimmingCharacters(in: .whitespacesAndNewlines)
        } else {
            try await tool.shell(
                "mkdir -p checkout/node_modules/.bin && ln -s '\(Tool.executable.path)' checkout/node_modules/.bin/packtool"
            )
        }
        var own = ["PATH": tool.environment["PATH"] ?? ""]
        if template == "github-action" {
            inputs["key"] = key
            if job == nil { inputs["token"] = token }
        } else {
            try Data(key.utf8).write(to: tool.folder.appendingPathComponent("key.pem"))
            own["PACKTOOL_KEY"] = tool.folder.appendingPathComponent("key.pem").path
            if job == nil { own["PACKTOOL_TOKEN"] = token }
        }
        own.merge(job ?? [:]) { $1 }
        let json = try JSONSerialization.data(withJSONObject: inputs)
        let printed = try await tool.run(
            URL(fileURLWithPath: "/usr/bin/python3"),
            ["-c", reader, "checkout/\(file)", String(decoding: json, as: UTF8.self)], environment: [:])
        let steps = try printed.expectSuccess().json().array()
        let paths = tool.folder.appendingPathComponent("github-path")
        let output = tool.folder.appendingPathComponent("github-output")
        for url in [paths, output] { try Data().write(to: url) }

        var outcomes: [Outcome] = []
        for step in steps {
            let step = try step.object()
            let added = try String(contentsOf: paths, encoding: .utf8).split(separator: "\n").map(String.init)
            var environment = own.merging(["GITHUB_PATH": paths.path, "GITHUB_OUTPUT": output.path]) { $1 }
            environment["PATH"] = (added + [own["PATH"] ?? ""]).joined(separator: ":")
            for member in try step.object("env").members { environment[member.key] = try member.value.string() }
            let outcome = try await tool.run(
                URL(fileURLWithPath: "/bin/bash"),
                ["-e", "-o", "pipefail", "-c", "cd checkout\n" + step.string("run")],
                environment: environment)
            for secret in [key, token] { #expect(!outcome.description.contains(secret), "a secret is in the log") }
            outcomes.append(outcome)
            if outcome.exitCode != 0 { break }
        }
        return outcomes
    }
}
