import Foundation
import PackJSON

/// The shell of each step of a CI template, in order, as the CI service would run it.
struct CISteps {
    struct Step {
        let shell: [String]
        let script: String
        /// Variables of the step, with references to settings not yet replaced.
        let environment: [String: String]
    }

    let steps: [Step]

    /// Takes the steps out of a template by the service's own rules. YAML is read by PyYAML, not by us.
    init(template: String, at file: URL, with tool: Tool) async throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        switch template {
        case "github-actions":
            steps = try await Self.yaml(file, tool).map {
                let environment = try $0.object().object("env").members.map { ($0.key, try $0.value.string()) }
                return try Step(
                    shell: ["/bin/bash", "-e"], script: $0.object().string("run"),
                    environment: Dictionary(uniqueKeysWithValues: environment))
            }
        case "gitlab-ci":
            steps = try await Self.yaml(file, tool).map {
                try Step(
                    shell: ["/bin/bash", "-e", "-o", "pipefail"], script: $0.object().string("run"), environment: [:])
            }
        default:
            steps = text.matches(of: /sh '''(.*?)'''/.dotMatchesNewlines()).map {
                Step(shell: ["/bin/sh", "-x", "-e"], script: String($0.output.1), environment: [:])
            }
        }
    }

    private static func yaml(_ file: URL, _ tool: Tool) async throws -> [JSONValue] {
        let script = """
            import json, sys, yaml
            document = yaml.safe_load(open(sys.argv[1]))
            if "jobs" in document:
                found = [{"run": step["run"], "env": {**job.get("env", {}), **step.get("env", {})}}
                         for job in document["jobs"].values() for step in job["steps"] if "run" in step]
            else:
                found = [{"run": "\\n".join(document[job].get("before_script", []) + document[job]["script"])}
                         for stage in document["stages"] for job in document
                         if isinstance(document[job], dict) and document[job].get("stage") == stage]
            print(json.dumps(found))
            """
        let outcome = try await tool.run(
            URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script, file.path], environment: [:])
        return try outcome.json().array()
    }
}
