import Foundation
import PackJSON
import TestSupport
import Testing

/// Executes the shell of each CI step against a live registry, with only the settings that the template asks for.
struct CITemplateTests {
    @Test(arguments: ["github-actions", "gitlab-ci", "jenkins"], [false, true])
    func `the steps of a CI template build, publish and show a package`(template: String, asDeb: Bool) async throws {
        let registry = try await LiveRegistry()
        let tool = try Tool()
        let outcomes = try await Self.run(
            template, registry, tool, program: asDeb ? Self.package(tool) : Tool.executable)
        #expect(outcomes.count >= 2 && outcomes.allSatisfy { $0.exitCode == 0 }, "\(outcomes)")
        let last = outcomes.last?.standardOutput ?? ""
        #expect(last.contains("checkout") && last.contains("1.0.0-ci.17"), "\(last)")
        // The folder of a workspace of npm, which is not packtool's.
        #expect(try tool.read("checkout/packages/ui/index.js") == Data("let ui".utf8))
        #expect(
            try await registry.tool.run("verify", "checkout@1.0.0-ci.17", "--registry", registry.folder).exitCode == 0)
    }

    @Test(arguments: ["github-actions", "gitlab-ci", "jenkins"])
    func `the steps of a CI template end at a warning that the published version does not have`(
        template: String
    ) async throws {
        let registry = try await LiveRegistry()
        let tool = try Tool()
        let outcomes = try await Self.run(template, registry, tool, pages: Self.lackingPages)
        #expect(outcomes.dropLast().allSatisfy { $0.exitCode == 0 }, "\(outcomes)")
        try Self.expectNewWarning(#require(outcomes.last))
        let status = try await registry.tool.run("status", "--registry", registry.folder).expectSuccess()
        #expect(status.standardOutput.contains("0.9.0") && !status.standardOutput.contains("1.0.0"), "\(status)")
    }

    @Test(arguments: ["github-actions", "gitlab-ci"])
    func `a job that the registry trusts publishes by the template without a token`(template: String) async throws {
        let registry = try await LiveRegistry("--internal-issuers")
        let issuer = try registry.tool.startScript("issuer.py")
        defer { issuer.kill(SIGKILL) }
        let url = try #require(await issuer.line(holding: "http://")).trimmingCharacters(in: .whitespacesAndNewlines)
        try await registry.tool.run(
            "token", "trust", url, "--claim", "repository=acme/shop", "--audience", registry.url, "--channel", "beta"
        ).expectSuccess()
        let asking = [
            "ACTIONS_ID_TOKEN_REQUEST_URL": "\(url)/id-token?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "job-secret",
        ]
        var job = asking.merging(["GITHUB_ACTIONS": "true"]) { $1 }
        if template == "gitlab-ci" {
            let asked = try await registry.tool.shell(
                "curl -fsS -H 'Authorization: bearer job-secret' '\(url)/id-token?api-version=2.0&audience=\(registry.url)'"
            )
            job = ["PACKTOOL_ID_TOKEN": try asked.json().object().string("value")]
        }
        let outcomes = try await Self.run(template, registry, Tool(), job: job)
        #expect(outcomes.count >= 2 && outcomes.allSatisfy { $0.exitCode == 0 }, "\(outcomes)")
        #expect(outcomes.last?.standardOutput.contains("1.0.0-ci.17") == true, "\(outcomes)")
        let log = try await registry.tool.run("audit").expectSuccess().standardOutput
        #expect(log.contains("repo:acme/shop:environment:production ("), "\(log)")
    }

    @Test func `a run of GitHub's that is started again has a version of its own, and no old code comes as the newest`()
        async throws
    {
        let tool = try Tool()
        try await tool.run("init", "checkout", "--template", "site", "--template", "github-actions").expectSuccess()
        try await tool.shell(
            "cd checkout && git init -q -b main && git add . && git -c user.name=x -c user.email=x@example.com commit -qm x"
                + " && git remote add origin \"$PWD\""
        ).expectSuccess()
        let file = tool.folder.appendingPathComponent("checkout/.github/workflows/packages.yml")
        let steps = try await CISteps(template: "github-actions", at: file, with: tool).steps
        let script = try #require(steps.first { $0.script.contains("packtool build") }?.script)
        func build(attempt: String, of commit: String) async throws -> Outcome {
            try await tool.shell(
                "cd checkout && PATH='\(Tool.executable.deletingLastPathComponent().path)':$PATH GITHUB_SHA=\(commit) bash -e -c '\(script.replacing("'", with: "'\\''"))'",
                environment: [
                    "GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main", "GITHUB_RUN_NUMBER": "17",
                    "GITHUB_RUN_ATTEMPT": attempt, "PACKTOOL_REGISTRY": ".packtool/registry",
                ])
        }
        let first = try await build(attempt: "1", of: "0000")
        #expect(first.exitCode == 0 && first.standardOutput.contains("checkout 1.0.0-ci.17\n"), "\(first)")
        let again = try await build(attempt: "2", of: "$(git rev-parse HEAD)")
        #expect(again.exitCode == 0 && again.standardOutput.contains("checkout 1.0.0-ci.17.2\n"), "\(again)")
        let old = try await build(attempt: "2", of: "0000")
        #expect(old.exitCode == 1 && old.standardOutput.contains("main has a newer commit"), "\(old)")
    }

    /// What a published version has: a page that lacks a picture.
    static let publishedFiles = ["index.html": "<title>Soon</title>", "old.html": #"<img src="lost.png">"#]
    /// The same page, and one that lacks a picture besides.
    static let lackingPages = ["old.html": #"<img src="lost.png">"#, "new.html": #"<img src="gone.png">"#]

    /// The new warning is an error, and the one of the published version is none.
    static func expectNewWarning(_ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(outcome.exitCode == 1, "\(outcome)", sourceLocation: sourceLocation)
        for text in [
            #"dist/new.html:1: error: "gone.png" is not in the package"#,
            #"dist/old.html:1: warning: "lost.png" is not in the package"#, "error: 1 error, nothing was written",
        ] {
            #expect(outcome.standardError.contains(text), "\(outcome)", sourceLocation: sourceLocation)
        }
    }

    /// The executable in a Debian package.
    private static func package(_ tool: Tool) async throws -> URL {
        try tool.write([
            "deb/DEBIAN/control":
                "Package: packtool\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.com>\nDescription: x\n"
        ])
        try await tool.shell(
            "mkdir -p deb/usr/bin && cp '\(Tool.executable.path)' deb/usr/bin/packtool && dpkg-deb --build -Znone deb packtool.deb && mv packtool.deb package"
        ).expectSuccess()
        return tool.folder.appendingPathComponent("package")
    }

    /// Runs the steps until one fails, as a CI service does, in a repository with the template.
    /// - Parameter pages: what its site has besides the template's files.
    /// - Parameter job: what the CI system gives the job in place of a token.
    private static func run(
        _ template: String, _ registry: LiveRegistry, _ tool: Tool, pages: [String: String] = [:],
        job: [String: String]? = nil, program: URL = Tool.executable
    ) async throws -> [Outcome] {
        try await tool.run("init", "checkout", "--template", "site", "--template", template).expectSuccess()
        for (name, text) in pages { try tool.write(["checkout/dist/\(name)": text]) }
        try tool.write(["checkout/packages/ui/index.js": "let ui"])
        // The owner has published this package before; from then on the publisher's key may.
        try await registry.publish("checkout", "0.9.0", files: publishedFiles)
        // The machine of the CI has the repository, root of trust included, and its settings; no key, no registry.
        let root = registry.tool.folder.appendingPathComponent(".packtool/root.json").path
        try await tool.shell("rm -rf checkout/.packtool && mkdir checkout/.packtool && cp '\(root)' checkout/.packtool")
        let digest = try await tool.shell("sha256sum < '\(program.path)' | cut -d ' ' -f 1").standardOutput
        var settings = try await registry.publisherEnvironment().merging([
            "PACKTOOL_URL": program.absoluteString,
            "PACKTOOL_SHA256": digest.trimmingCharacters(in: .whitespacesAndNewlines),
            "PACKTOOL_REGISTRY": registry.url,
        ]) { $1 }

        if job != nil { settings["PACKTOOL_TOKEN"] = nil }
        let key = try #require(settings["PACKTOOL_KEY"])
        if template == "gitlab-ci" {
            // A variable of the type File: GitLab gives the path.
            let file = tool.folder.appendingPathComponent("key.pem")
            try Data(key.utf8).write(to: file)
            settings["PACKTOOL_KEY"] = file.path
        }

        let names = ["github-actions": ".github/workflows/packages.yml", "gitlab-ci": ".gitlab-ci.yml"]
        let file = tool.folder.appendingPathComponent("checkout/\(names[template] ?? "Jenkinsfile")")
        let addedPath = tool.folder.appendingPathComponent("github-path")
        try Data().write(to: addedPath)
        var outcomes: [Outcome] = []
        for step in try await CISteps(template: template, at: file, with: tool).steps {
            // GitHub passes settings only where a step names them; the others set them for the whole job.
            let given =
                template == "github-actions"
                ? step.environment.mapValues { substituted($0, from: settings) } : settings
            let added = try String(contentsOf: addedPath, encoding: .utf8).split(separator: "\n")
            let path = (added.map(String.init) + [tool.environment["PATH"] ?? ""]).joined(separator: ":")
            // The service's own variables: this is its 17th run.
            let own = [
                "GITHUB_PATH": addedPath.path, "GITHUB_REF": "refs/heads/main", "GITHUB_RUN_NUMBER": "17",
                "CI_PIPELINE_IID": "17", "BUILD_NUMBER": "17", "CI": "true", "PATH": path,
            ]
            let environment = given.merging(own) { $1 }.merging(job ?? [:]) { $1 }
            let outcome = try await tool.run(
                URL(fileURLWithPath: step.shell[0]),
                Array(step.shell.dropFirst()) + ["-c", "cd checkout\n" + step.script], environment: environment)
            for secret in [key, settings["PACKTOOL_TOKEN"] ?? key] {
                #expect(!outcome.description.contains(secret), "a secret is in the log of: \(step.script)")
            }
            outcomes.append(outcome)
            if outcome.exitCode != 0 { break }
        }
        return outcomes
    }

    @Test(arguments: [
        "README.md", "templates/ci/github-actions.yml", "templates/ci/gitlab-ci.yml", "templates/ci/Jenkinsfile",
    ])
    func `the packages of the libraries that the executable loads are named`(file: String) async throws {
        let script = """
            for library in $(readelf -d '\(BuiltProgram.packtool.path)' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'); do
                # Those that every Debian has.
                case $library in ld-linux*|libc.so*|libm.so*|libgcc_s*|libstdc++*|libz.so*) continue;; esac
                path=$(/sbin/ldconfig -p | awk -v name="$library" '$1 == name && !found { print $NF; found = 1 }')
                if [ -n "$path" ]; then dpkg -S "$(basename "$(readlink -f "$path")")" | awk -F : 'NR == 1 { print $1 }'; fi
            done | sort -u
            """
        let wanted = try await Tool().shell(script).standardOutput.split(separator: "\n").map(String.init)
        #expect(wanted.contains("libarchive13") && wanted.contains("libzopfli1"), "\(wanted)")
        let text = try String(contentsOf: Tool.project.appendingPathComponent(file), encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.contains("apt-get install") && $0.contains("libarchive13") }
        let words = Set((line ?? "").split { " `.".contains($0) }.map(String.init))
        #expect(wanted.filter { !words.contains($0) } == [])
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
