import Foundation
import PackJSON
import Testing

/// Executes the shell of each CI step against a live registry, with only the settings that the template asks for.
struct CITemplateTests {
    @Test(arguments: ["github-actions", "gitlab-ci", "jenkins"])
    func `the steps of a CI template build, publish and show a package`(template: String) async throws {
        let registry = try await LiveRegistry()
        let tool = try Tool()
        #expect(try await tool.run("init", "checkout", "--template", "site", "--template", template).exitCode == 0)
        // The owner has published this package before; from then on the publisher's key may.
        try await registry.publish("ferries", "0.9.0", files: ["index.html": "<title>Soon</title>"])
        // The machine of the CI has the repository, root of trust included, and its settings; no key, no registry.
        let root = registry.tool.folder.appendingPathComponent(".packtool/root.json").path
        try await tool.shell("rm -rf checkout/.packtool && mkdir checkout/.packtool && cp '\(root)' checkout/.packtool")
        let digest = try await tool.shell("sha256sum < '\(Tool.executable.path)' | cut -d ' ' -f 1").standardOutput
        let settings = try await registry.publisherEnvironment().merging([
            "PACKTOOL_URL": Tool.executable.absoluteString,
            "PACKTOOL_SHA256": digest.trimmingCharacters(in: .whitespacesAndNewlines),
            "PACKTOOL_REGISTRY": registry.url,
        ]) { $1 }

        let names = ["github-actions": ".github/workflows/packages.yml", "gitlab-ci": ".gitlab-ci.yml"]
        let file = tool.folder.appendingPathComponent("checkout/\(names[template] ?? "Jenkinsfile")")
        let steps = try await CISteps(template: template, at: file, with: tool).steps
        #expect(steps.count >= 2)
        let addedPath = tool.folder.appendingPathComponent("github-path")
        try Data().write(to: addedPath)
        var last = ""
        for step in steps {
            // GitHub passes settings only where a step names them; the others set them for the whole job.
            let given =
                template == "github-actions"
                ? step.environment.mapValues { Self.substituted($0, from: settings) } : settings
            let added = try String(contentsOf: addedPath, encoding: .utf8).split(separator: "\n")
            let path = (added.map(String.init) + [tool.environment["PATH"] ?? ""]).joined(separator: ":")
            let environment = given.merging(["GITHUB_PATH": addedPath.path, "CI": "true", "PATH": path]) { $1 }
            let outcome = try await tool.run(
                URL(fileURLWithPath: step.shell[0]),
                Array(step.shell.dropFirst()) + ["-c", "cd checkout\n" + step.script], environment: environment)
            #expect(outcome.exitCode == 0, "\(step.script)\n\(outcome)")
            for secret in ["PACKTOOL_TOKEN", "PACKTOOL_KEY"].compactMap({ settings[$0] }) {
                #expect(!outcome.description.contains(secret), "a secret is in the log of: \(step.script)")
            }
            last = outcome.standardOutput
        }
        #expect(last.contains("ferries") && last.contains("1.0.0"), "\(last)")
        #expect(try await registry.tool.run("verify", "ferries@1.0.0", "--registry", registry.folder).exitCode == 0)
    }

    @Test func `an executable with another digest is not run`() async throws {
        let tool = try Tool()
        #expect(try await tool.run("init", "--template", "jenkins").exitCode == 0)
        let file = tool.folder.appendingPathComponent("Jenkinsfile")
        let install = try await CISteps(template: "jenkins", at: file, with: tool).steps.first {
            $0.script.contains("curl")
        }
        let script = try #require(install?.script)
        let outcome = try await tool.run(
            URL(fileURLWithPath: "/bin/sh"), ["-e", "-c", script],
            environment: [
                "PACKTOOL_URL": Tool.executable.absoluteString,
                "PACKTOOL_SHA256": String(repeating: "0", count: 64),
            ])
        #expect(outcome.exitCode != 0)
        #expect(try await tool.shell("test ! -x .packtool/bin/packtool").exitCode == 0)
    }

    private static func substituted(_ text: String, from settings: [String: String]) -> String {
        text.replacing(/\$\{\{ *(?:vars|secrets)\.([A-Z0-9_]+) *\}\}/) { settings[String($0.output.1)] ?? "" }
    }
}
