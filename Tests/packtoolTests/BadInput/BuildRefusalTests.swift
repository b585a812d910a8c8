import Foundation
import Testing

struct BuildRefusalTests {
    private static func project(_ files: [String: String] = [:]) throws -> Tool {
        let tool = try Tool()
        let page = "<!doctype html><title>Page</title><p>Hello"
        try tool.write(["dist/index.html": page, "package.json": #"{"name": "shop", "version": "1.0.0"}"#])
        try tool.write(files)
        return tool
    }

    @Test func `an empty dist is refused`() async throws {
        let tool = try Self.project()
        try await tool.shell("rm dist/index.html")
        try await expectRefusal(tool, "build", "dist", naming: ["dist"])
    }

    @Test func `packages are not written into the dist that is the working folder`() async throws {
        let tool = try Tool()
        try tool.write(["dist/index.html": "<!doctype html><script>packtool.confirm()</script>"])
        let build = "cd dist && '\(Tool.executable.path)' build . --package shop --package-version 1.0.0"
        let refused = try await tool.shell(build)
        expectClearError(
            refused,
            naming: [
                "the packages would go to packages, inside the folder to build, .: give --out, or run this in the folder above"
            ]
        )
        #expect(try tool.listing().keys.sorted() == ["dist/index.html"])
        try await tool.shell(build + " --out ../packages").expectSuccess()
        let written = try tool.listing().keys.filter { !$0.hasPrefix(".home/") && !$0.hasPrefix(".cache/") }
        #expect(written.sorted() == ["dist/index.html", "packages/shop-1.0.0.zip"])
    }

    @Test func `a dist that is not there is refused`() async throws {
        try await expectRefusal(Self.project(), "build", "nowhere", naming: ["nowhere"])
    }

    @Test func `a dist that is a file is refused`() async throws {
        try await expectRefusal(Self.project(), "build", "package.json", naming: ["package.json"])
    }

    @Test func `a dist without its entry page is refused`() async throws {
        let tool = try Self.project(["dist/other.html": "<p>"])
        try await tool.shell("rm dist/index.html")
        try await expectRefusal(tool, "build", "dist", naming: ["index.html"])
    }

    @Test(arguments: ["Shop", "-shop", "a.b", "sh op", "../shop", String(repeating: "a", count: 64)])
    func `an invalid id is refused`(id: String) async throws {
        try await expectRefusal(Self.project(), "build", "dist", "--package=\(id)", naming: ["id"])
    }

    @Test(arguments: ["1", "1.0", "v1.0.0", "1.0.0-", "01.0.0", "1.0.0 ", "latest"])
    func `an invalid version is refused`(version: String) async throws {
        try await expectRefusal(Self.project(), "build", "dist", "--package-version=\(version)", naming: ["version"])
    }

    @Test(arguments: [
        ("--prerelease", "a b"), ("--prerelease", "ci+17"), ("--entry", "../x.html"), ("--requires-app", "new"),
        ("--base", "static"), ("--package", "A_b"), ("--package-version", "1"),
    ])
    func `an option that cannot be read is named`(option: String, value: String) async throws {
        try await expectRefusal(Self.project(), "build", "dist", "\(option)=\(value)", naming: [option])
    }

    @Test(arguments: ["--package=", "--package-version="])
    func `an option without its value is a usage error`(option: String) async throws {
        try await expectRefusal(
            Self.project(), arguments: ["build", "dist", option], naming: ["--package"], exitCode: 64)
    }

    @Test func `without any id or version it says where they could come from`() async throws {
        let tool = try Self.project()
        try await tool.shell("rm package.json")
        try await expectRefusal(tool, "build", "dist", naming: ["--package", "packtool.json", "package.json"])
    }

    @Test func `an unknown key of the configuration is refused with a suggestion`() async throws {
        let tool = try Self.project(["packtool.json": "{ // mine\n \"entyr\": \"index.html\" }"])
        try await expectRefusal(tool, "build", "dist", naming: ["entyr", "entry", "packtool.json"])
    }

    @Test func `a configuration that is no JSON is refused with its place`() async throws {
        let tool = try Self.project(["packtool.json": "{\n  \"entry\": \n}"])
        try await expectRefusal(tool, "build", "dist", naming: ["packtool.json"])
    }

    @Test func `a file that cannot be read is refused by name`() async throws {
        let tool = try Self.project(["dist/secret.js": "1"])
        try await tool.shell("chmod 000 dist/secret.js")
        let before = Set(try tool.listing().keys)
        // Root reads everything unless it gives the capability away.
        let drop = "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all"
        let prefix = getuid() == 0 ? drop : ""
        let outcome = try await tool.shell("exec \(prefix) \(Tool.executable.path) build dist")
        expectClearError(outcome, naming: ["secret.js"])
        #expect(Set(try tool.listing().keys) == before)
    }

    @Test func `a folder whose files cannot be looked at is refused, not built without them`() async throws {
        let tool = try Self.project(["dist/js/app.js": "1"])
        // Readable and not searchable: the names are there, the files are not.
        try await tool.shell("chmod 444 dist/js")
        let drop = "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all"
        let prefix = getuid() == 0 ? drop : ""
        let outcome = try await tool.shell("exec \(prefix) \(Tool.executable.path) build dist")
        try await tool.shell("chmod 755 dist/js")
        expectClearError(outcome, naming: ["dist/js/app.js"])
        #expect(try !tool.listing().keys.contains { $0.hasSuffix(".zip") })
    }

    @Test(arguments: ["/etc", "/etc/passwd", "../package.json", "../../..", "nowhere"])
    func `a link that leads out of the dist, or nowhere, is refused by name`(target: String) async throws {
        let tool = try Self.project()
        try await tool.shell("ln -s \(target) dist/away")
        try await expectRefusal(tool, "build", "dist", naming: ["away"])
    }

    /// 5 TB of nothing take an hour to read.
    @Test(.timeLimit(.minutes(3)), arguments: ["5G", "5T"])
    func `a file over the limit is refused without being read`(size: String) async throws {
        let tool = try Self.project()
        try await tool.shell("truncate -s \(size) dist/video.bin")
        let outcome = try await tool.run("build", "dist")
        expectClearError(outcome, naming: ["video.bin"])
        let names = try await tool.shell("find . -type f | sort").standardOutput
        #expect(names == "./dist/index.html\n./dist/video.bin\n./package.json\n")
    }

    @Test(arguments: ["a\\b.js", "a:b.js", "a\tb.js", "pack.json"])
    func `a file name that a package cannot hold is refused`(name: String) async throws {
        let tool = try Self.project(["dist/\(name)": "1"])
        try await expectRefusal(tool, "build", "dist", naming: ["dist"])
    }

    @Test func `a file name that is not UTF-8 is refused`() async throws {
        let tool = try Self.project()
        try await tool.shell("printf x > $'dist/a\\xff.js'")
        let outcome = try await tool.run("build", "dist")
        expectClearError(outcome, naming: ["UTF-8"])
    }

    @Test func `two names that iOS cannot tell apart are refused`() async throws {
        let tool = try Self.project(["dist/App.js": "1", "dist/app.js": "2"])
        try await expectRefusal(tool, "build", "dist", naming: ["App.js", "app.js"])
    }

    @Test func `a size over the budget fails the build`() async throws {
        let tool = try Self.project([
            "packtool.json": #"{ "budget": { "total": "1 KB" } }"#,
            "dist/big.js": String(repeating: "0123456789abcdef", count: 200),
        ])
        try await expectRefusal(tool, "build", "dist", naming: ["budget"])
    }

    @Test func `strict makes a reference that leads nowhere an error with its place`() async throws {
        let tool = try Self.project([
            "dist/index.html": "<!doctype html>\n<title>x</title>\n<a href=\"gone.html\">x</a>\n"
        ])
        try await expectRefusal(tool, "build", "dist", "--strict", naming: ["gone.html", "index.html:3"])
        #expect(try await tool.run("build", "dist").exitCode == 0)
    }

    @Test func `an output folder that is a file is refused`() async throws {
        try await expectRefusal(Self.project(["out": "x"]), "build", "dist", "--out", "out", naming: ["out"])
    }
}
