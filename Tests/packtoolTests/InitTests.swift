import Foundation
import PackJSON
import Testing

struct InitTests {
    /// `templates/FOLDER` of the project, as `Tool.listing` gives it.
    static func template(_ folder: String) throws -> [String: Data] {
        let root = Tool.project.appendingPathComponent("templates/\(folder)")
        var files: [String: Data] = [:]
        let walk = FileManager.default.enumerator(atPath: root.path)
        while let name = walk?.nextObject() as? String {
            if walk?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
                files[name] = try Data(contentsOf: root.appendingPathComponent(name))
            }
        }
        return files
    }

    @Test func `init writes the starter site exactly as the template has it`() async throws {
        let tool = try Tool()
        let outcome = try await tool.run("init", "shop")
        #expect(outcome.exitCode == 0, "\(outcome)")
        let written = try tool.listing("shop").filter { !$0.key.hasPrefix(".packtool/") }
        var expected = try Self.template("site")
        expected["packtool.schema.json"] = try Self.template("config")["packtool.schema.json"]
        let configuration = String(decoding: try #require(expected["packtool.json"]), as: UTF8.self)
            .replacing("{{package}}", with: "shop").replacing("{{version}}", with: #""version": "1.0.0","#)
        expected["packtool.json"] = Data(configuration.utf8)
        #expect(written == expected)
        #expect(expected["dist/index.html"] != nil && expected[".packignore"] != nil)
        #expect(configuration.contains(#""$schema": "./packtool.schema.json""#) && !configuration.contains("{{"))
    }

    @Test(arguments: [
        ("github-actions", ".github/workflows/packages.yml", "github-actions.yml"),
        ("gitlab-ci", ".gitlab-ci.yml", "gitlab-ci.yml"),
        ("jenkins", "Jenkinsfile", "Jenkinsfile"),
    ])
    func `a CI template is one file and nothing else`(name: String, path: String, source: String) async throws {
        let tool = try Tool()
        let outcome = try await tool.run("init", "--template", name, "--json")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(try tool.listing() == [path: #require(Self.template("ci")[source])])
        #expect(try outcome.json().object().array("written") == [.string(path)])
    }

    @Test func `a build without an index page gets no starter site beside it`() async throws {
        let tool = try Tool()
        try tool.write(["w/dist/start.html": "<title>start</title>", "w/dist/notes.txt": "x"])
        try await tool.run("init", "w").expectSuccess()
        #expect(try tool.listing("w/dist").keys.sorted() == ["notes.txt", "start.html"])
    }

    @Test func `a project below another one is told of the registry that it could share`() async throws {
        let tool = try Tool()
        let first = try await tool.run("init", "shop")
        #expect(first.exitCode == 0 && !first.standardError.contains("above"), "\(first)")
        let below = try await tool.run("init", "shop/apps/admin")
        #expect(below.exitCode == 0, "\(below)")
        #expect(below.standardError.contains("/shop/ above is a project too, with the registry "), "\(below)")
        #expect(below.standardError.contains("/shop/.packtool/registry"), "\(below)")
        let again = try await tool.run("init", "other")
        #expect(again.exitCode == 0 && !again.standardError.contains("above"), "\(again)")
    }

    @Test func `init makes a registry and keys that only their owner can read, and git does not see them`() async throws
    {
        let tool = try Tool()
        let outcome = try await tool.run("init", "--json")
        let report = try outcome.json().object()
        #expect(try report.string("root").hasSuffix("/.packtool/root.json"))
        let keys = try await tool.shell("stat -c '%a %n' .packtool/keys/*").standardOutput
        #expect(keys == ["owner", "publisher", "root"].map { "600 .packtool/keys/\($0).pem\n" }.joined())
        let seen = try await tool.shell("git init -q . && git add -A && git ls-files .packtool").standardOutput
        #expect(seen == ".packtool/.gitignore\n.packtool/root.json\n")
    }

    @Test func `an app id that cannot be one is refused before anything is written`() async throws {
        try await expectRefusal(Tool(), "init", "--app", "my app", naming: ["my app"])
    }

    @Test func `what exists is kept, and a second run has nothing to do`() async throws {
        let tool = try Tool()
        try tool.write(["packtool.json": "{} // mine", "dist/index.html": "mine too"])
        let first = try await tool.run("init", "--json")
        #expect(first.exitCode == 0, "\(first)")
        // A project that was started gets no starter site into its own dist.
        #expect(try first.json().object().array("kept") == ["packtool.json"])
        #expect(try tool.listing("dist").count == 1)
        #expect(try tool.read("packtool.json") == Data("{} // mine".utf8))
        #expect(try tool.read("dist/index.html") == Data("mine too".utf8))

        // SQLite counts in its file how often it was opened, and leaves files beside it for the next one to take up.
        func files() throws -> [String: Data] { try tool.listing().filter { !$0.key.contains("registry.sqlite") } }
        let before = try files()
        let second = try await tool.run("init")
        #expect(second.exitCode == 2, "\(second)")
        #expect(try files() == before)
    }

    @Test(arguments: [
        ("My Shop", "my-shop"), ("checkout_2", "checkout-2"), ("+", "site"),
    ])
    func `the starter site is named after its folder`(folder: String, id: String) async throws {
        let tool = try Tool()
        try await tool.run("init", folder).expectSuccess()
        let built = try await tool.shell("cd '\(folder)' && '\(Tool.executable.path)' build --json").json().object()
        #expect(try built.array("packages").first?.object().string("package") == id)
    }

    @Test func `a package is named as the command says, and a wrong name is refused before anything is written`()
        async throws
    {
        let tool = try Tool()
        try tool.write(["package.json": #"{"name": "@acme/shop"}"#])
        try await tool.run("init", "--package", "checkout").expectSuccess()
        #expect(String(decoding: try tool.read("packtool.json"), as: UTF8.self).contains(#""package": "checkout""#))
        try await expectRefusal(Tool(), "init", "--package", "Not An ID", naming: ["Not An ID"])
    }

    /// Files of a project that its tools made, and the folder that their build writes.
    @Test(arguments: [
        ([#"{"dependencies": {"next": "15"}}"#: "package.json"], "out"),
        ([#"{"dependencies": {"react-scripts": "5"}}"#: "package.json", "<html>": "public/index.html"], "build"),
        ([#"{"devDependencies": {"vite": "6"}}"#: "package.json", "<html>": "public/index.html"], "dist"),
        (
            [
                #"{"devDependencies": {"vite": "6"}}"#: "package.json",
                "export default {build: {outDir: './www/app/'}}": "vite.config.ts",
            ],
            "www/app"
        ),
        (["{}": "package.json", #"{"webDir": "www"}"#: "capacitor.config.json"], "www"),
        (
            [
                "{}": "package.json",
                #"{"projects": {"shop": {"architect": {"build": {"builder": "@angular/build:application"}}}}}"#:
                    "angular.json",
            ], "dist/shop/browser"
        ),
        (["{}": "package.json", "<html>": "dist/shop/browser/index.html"], "dist/shop/browser"),
        (["<html>": "www/index.html"], "www"),
        (["<html>": "public/index.html"], "public"),
        // Most bundlers take `public` as a source: without a word of one that writes it, it is no build.
        (["{}": "package.json", "<html>": "public/index.html"], "dist"),
        ([#"{"devDependencies": {"svelte": "5"}}"#: "package.json", "<html>": "public/index.html"], "dist"),
        ([#"{"dependencies": {"gatsby": "5"}}"#: "package.json", "<html>": "public/index.html"], "public"),
        (
            [
                #"{"devDependencies": {"vite": "6"}}"#: "package.json", "<html>": "public/index.html",
                "export default {build: {outDir: 'public'}}": "vite.config.js",
            ], "public"
        ),
        (
            ["{}": "package.json", #"{"webDir": "public"}"#: "capacitor.config.json", "<html>": "public/index.html"],
            "public"
        ),
        // What was built counts more than what a tool would write by itself.
        ([#"{"dependencies": {"next": "15"}}"#: "package.json", "<html>": "dist/index.html"], "dist"),
        // A folder outside of the project is none that a package is made of without a word.
        (["{}": "package.json", #"{"webDir": "../www"}"#: "capacitor.config.json"], "dist"),
        (["{ not JSON": "package.json"], "dist"),
    ])
    func `the web build's folder is found by what is there and what its tools say`(
        files: [String: String], dist: String
    ) async throws {
        let tool = try Tool()
        try tool.write(Dictionary(uniqueKeysWithValues: files.map { ($1, $0) }))
        try await tool.run("init", "--template", "config").expectSuccess()
        let text = String(decoding: try tool.read("packtool.json"), as: UTF8.self)
        #expect(text.contains("\"dist\": \"\(dist)\""), "\(text)")
    }

    @Test(arguments: ["package.json", "build/index.html"])
    func `a project that has a web build gets a configuration, and no starter site`(file: String) async throws {
        let tool = try Tool()
        try tool.write([file: file == "package.json" ? "{\"name\": \"@acme/my_shop\"}" : "<!doctype html>"])
        let outcome = try await tool.run("init", "--json")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(
            try outcome.json().object().array("written") == [".packignore", "packtool.json", "packtool.schema.json"])
        let text = String(decoding: try tool.read("packtool.json"), as: UTF8.self)
        #expect(text.contains(file == "package.json" ? "\"package\": \"my-shop\"" : "\"dist\": \"build\""))
        #expect(try await tool.run("init", "--template", "config").exitCode == 2)
    }

    @Test(.onFolder) func `a configuration names the fields that most projects need, and init says what comes next`()
        async throws
    {
        let tool = try Tool()
        let folder = "My Shop_App"
        let outcome = try await tool.run("init", folder, "--template", "config").expectSuccess()
        #expect(
            outcome.standardError.contains(
                "Next: run your web build, so that there is dist/, then packtool build dist && packtool publish --channel beta\n"
            ),
            "\(outcome)")
        let text = String(decoding: try tool.read("\(folder)/packtool.json"), as: UTF8.self)
        for line in [
            #""$schema": "./packtool.schema.json","#, #""package": "my-shop-app","#, #"// "spa": true,"#,
            #"// "headers": {"#,
            #"// "origins": ["#, #"// "ignore": ["#, #"// "channel": "beta""#, #"// "base": "/static-files/","#,
        ] {
            #expect(text.contains(line), "\(line)\n\(text)")
        }
        // What it says works.
        try tool.write(["\(folder)/dist/index.html": "<script>packtool.confirm()</script>"])
        let again = try await tool.shell("cd '\(folder)' && rm -r .packtool && '\(Tool.executable.path)' init")
            .expectSuccess()
        let next = try #require(again.standardError.split(separator: "\n").first { $0.hasPrefix("Next: ") })
        #expect(next == "Next: packtool build dist && packtool publish --channel beta")
        try await tool.shell(
            "cd '\(folder)' && PATH='\(Tool.executable.deletingLastPathComponent().path)':$PATH && \(next.dropFirst(6))"
        ).expectSuccess()
    }

    @Test(.onFolder) func `a second project is told which registry it publishes to, and init says what comes next`()
        async throws
    {
        let tool = try Tool()
        try await tool.run("init", "shop", "--app", "shop", "--package", "shop").expectSuccess()
        let place = ["--registry", "shop/.packtool/registry"]
        let second = try await tool.run(["init", "admin", "--package", "admin"] + place).expectSuccess()
        #expect(!second.standardOutput.contains("made "), "\(second)")
        #expect(
            second.standardError.contains("Next: packtool build dist && packtool publish --channel beta\n")
                && second.standardError.contains("PACKTOOL_KEY") && second.standardError.contains("PACKTOOL_OWNER_KEY")
                && !second.standardError.contains("PACKTOOL_TOKEN"), "\(second)")
        let text = String(decoding: try tool.read("admin/packtool.json"), as: UTF8.self)
        #expect(text.contains("\n  \"registry\": \"../shop/.packtool/registry\",\n"), "\(text)")
        let keys = ["PACKTOOL_KEY": "publisher", "PACKTOOL_OWNER_KEY": "owner"].mapValues {
            "\(tool.folder.path)/shop/.packtool/keys/\($0).pem"
        }
        let program = Tool.executable.path
        try await tool.shell(
            "cd admin && '\(program)' build dist && '\(program)' publish --channel beta", environment: keys
        ).expectSuccess()
        let status = try await tool.run(["status"] + place)
        #expect(status.standardOutput.contains("admin"), "\(status)")

        // A configuration that is there stays as it is, and the command says what to write into it.
        let kept = try await tool.run(["init", "admin", "--registry", "https://packages.example.com"])
        #expect(kept.exitCode == 2, "\(kept)")
        #expect(
            kept.standardError.contains("packtool.json was there already and stays as it is")
                && kept.standardError.contains("\"registry\": \"https://packages.example.com\""), "\(kept)")
        let same = try await tool.run(["init", "admin"] + place)
        #expect(same.exitCode == 2 && !same.standardError.contains("was there already"), "\(same)")

        for template in ["site", "config"] {
            let url = ["--template", template, "--registry", "https://packages.example.com"]
            let third = try await tool.run(["init", "help-\(template)"] + url).expectSuccess()
            let text = String(decoding: try tool.read("help-\(template)/packtool.json"), as: UTF8.self)
            #expect(text.contains("\n  \"registry\": \"https://packages.example.com\""), "\(text)")
            #expect(
                third.standardError.contains("PACKTOOL_TOKEN") && third.standardError.contains("Next: ")
                    && third.standardError.contains("Copy .packtool/root.json of"), "\(third)")
        }
    }

    @Test(arguments: ["plan", "set", "population"])
    func `a file that people write comes with the schema that it names, and is valid by it`(name: String) async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", name).expectSuccess()
        let written = try tool.listing()
        #expect(written.keys.sorted() == ["\(name).json", "\(name).schema.json"])
        let schema = try Data(
            contentsOf: Tool.project.appendingPathComponent("docs/schema/\(name).schema.json"))
        #expect(written["\(name).schema.json"] == schema)
        let text = String(decoding: try tool.read("\(name).json"), as: UTF8.self)
        #expect(text.contains("\"$schema\": \"./\(name).schema.json\""), "\(text)")
        try await tool.expectSchema(name, allows: ["\(name).json"], refuses: "({},)")
    }

    @Test(.onFolder) func `the commands read the files that init writes for them`() async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<h1>Shop</h1><script>packtool.confirm()</script>"])
        try await tool.run("init", "--template", "config", "--package", "shop").expectSuccess()
        try await tool.run("init", "--template", "plan", "--template", "set", "--template", "population")
            .expectSuccess()
        try await tool.run("build").expectSuccess()
        try await tool.run("publish", "--channel", "beta", "--rollout", "0").expectSuccess()
        try await tool.run("rollout", "shop", "--channel", "beta", "--plan", "plan.json", "--dry-run").expectSuccess()
        try await tool.run(
            "simulate", "shop@1.0.0", "--channel", "beta", "--population", "population.json", "--plan", "plan.json"
        ).expectSuccess()
        // What is wrong with it is only that nobody has published its second package.
        let set = try await tool.run("release", "set.json", "--dry-run")
        #expect(set.exitCode == 1 && set.standardError.contains("admin"), "\(set)")
        #expect(!set.standardError.contains("set.json:"), "\(set)")
    }

    @Test func `a file or a link in the way is refused before anything is written`() async throws {
        let tool = try Tool()
        try tool.write(["dist": "a file"])
        let file = try await tool.run("init")
        #expect(file.exitCode == 1)
        #expect(file.errorLine?.contains("dist is in the way") == true, "\(file)")

        let outside = try Tool()
        try await tool.shell("rm dist && ln -s \(outside.folder.path) dist")
        let link = try await tool.run("init")
        #expect(link.exitCode == 1)
        #expect(link.errorLine?.contains("dist is in the way") == true, "\(link)")
        #expect(try outside.listing().isEmpty)
        #expect(try tool.listing().keys.sorted() == ["dist"])
    }

    @Test func `an unknown template is a usage error that names the known ones`() async throws {
        let tool = try Tool()
        let outcome = try await tool.run("init", "--template", "sites")
        #expect(outcome.exitCode == 64)
        for name in ["site", "config", "github-actions", "gitlab-ci", "jenkins"] {
            #expect(outcome.standardError.contains(name))
        }
        #expect(try tool.listing().isEmpty)
    }
}
