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
        try await tool.run("init", "checkout", "--template", "site", "--template", template).expectSuccess()
        try await registry.publish("checkout", "0.9.0", files: ["index.html": "<title>Soon</title>"])
        let root = registry.tool.folder.appendingPathComponent(".packtool/root.json").path
        try await tool.shell("rm -rf checkout/.packtool && mkdir checkout/.packtool && cp '\(root)' checkout/.packtool")
        let settings = try await registry.publisherEnvironment()
        let (key, token) = try (#require(settings["PACKTOOL_KEY"]), #require(settings["PACKTOOL_TOKEN"]))
        let file = template == "github-action" ? ".github/actions/packtool/action.yml" : "templates/packtool.yml"

        var inputs = ["registry": registry.url, "arguments": "--prerelease ci.17 --strict-new", "rollout": "25"]
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
            (inputs["token"], inputs["key"]) = (token, key)
        } else {
            try Data(key.utf8).write(to: tool.folder.appendingPathComponent("key.pem"))
            own["PACKTOOL_KEY"] = tool.folder.appendingPathComponent("key.pem").path
            own["PACKTOOL_TOKEN"] = token
        }
        let given = try JSONSerialization.data(withJSONObject: inputs)
        let printed = try await tool.run(
            URL(fileURLWithPath: "/usr/bin/python3"),
            ["-c", Self.reader, "checkout/\(file)", String(decoding: given, as: UTF8.self)], environment: [:])
        let steps = try printed.expectSuccess().json().array()
        let paths = tool.folder.appendingPathComponent("github-path")
        let output = tool.folder.appendingPathComponent("github-output")
        for url in [paths, output] { try Data().write(to: url) }

        var last = ""
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
            #expect(outcome.exitCode == 0, "\(outcome)")
            for secret in [key, token] { #expect(!outcome.description.contains(secret), "a secret is in the log") }
            last = outcome.standardOutput
        }
        #expect(last.contains("checkout") && last.contains("1.0.0-ci.17") && last.contains("25"), "\(last)")
        if template == "github-action" {
            let said = try String(contentsOf: output, encoding: .utf8)
            #expect(said == "packages<<END\npackages/checkout-1.0.0-ci.17.zip\nEND\n")
        }
    }
}
