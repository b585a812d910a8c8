import Foundation
import Testing

/// Exports that must not come in: each is refused before the first write, by a sentence that names the zip.
@Suite(.onFolder) struct ImportRefusalTests {
    private static func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        try await tool.writeZips(["export/beta/1.0.0.zip": ["index.html": "<title>good</title>"]])
        return tool
    }

    private static let arguments = ["import", "export", "--from", "zips", "--package", "shop"]

    @Test(arguments: [
        // A Python script that writes the zip `beta/1.1.0.zip` beside a good one, and what is said of it.
        ("open(path, 'wb').write(b'no zip at all')", ["1.1.0.zip", "is not a zip archive"]),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('../evil.html', 'x'); z.close()",
            ["../evil.html", "not allowed"]
        ),
        ("z = zipfile.ZipFile(path, 'w'); z.writestr('/etc/x', 'x'); z.close()", ["/etc/x", "absolute"]),
        ("z = zipfile.ZipFile(path, 'w'); z.writestr('a\\\\..\\\\x', 'x'); z.close()", ["1.1.0.zip", "not allowed"]),
        (
            "z = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED); z.writestr('index.html', 'x'); z.writestr('b', bytes(80 << 20)); z.close()",
            ["1.1.0.zip", "zip bomb"]
        ),
        (
            "i = zipfile.ZipInfo('index.html'); i.external_attr = 0o120777 << 16; z = zipfile.ZipFile(path, 'w'); z.writestr(i, '/etc/passwd'); z.close()",
            ["index.html", "symbolic link"]
        ),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('index.html', 'x'); z.writestr('INDEX.html', 'y'); z.close()",
            ["1.1.0.zip", "INDEX.html"]
        ),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('index.html', 'x'); z.writestr('pack.json', '{}'); z.close()",
            ["beta/1.1.0.zip/pack.json", "manifest's name"]
        ),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('index.html', 'x' * 999); z.close(); d = bytearray(open(path, 'rb').read()); d[60] ^= 1; open(path, 'wb').write(d)",
            ["1.1.0.zip", "damaged"]
        ),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('a/main.html', 'x'); z.close()",
            ["beta/1.1.0.zip has no index.html"]
        ),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('CodePush/main.jsbundle', 'x'); z.close()",
            ["beta/1.1.0.zip has no index.html", "React Native"]
        ),
        (
            "z = zipfile.ZipFile(path, 'w'); z.writestr('hotcodepush.json', '{}'); z.writestr('www/a.js', 'x'); z.close()",
            ["beta/1.1.0.zip has no index.html", "blobUrl"]
        ),
    ])
    func `a hostile or wrong zip stops the whole import`(script: String, words: [String]) async throws {
        let tool = try await Self.project()
        let made = try await tool.run(
            URL(fileURLWithPath: "/usr/bin/python3"),
            ["-W", "ignore", "-c", "import zipfile; path = 'export/beta/1.1.0.zip'; \(script)"], environment: [:])
        try made.expectSuccess()
        try await expectRefusal(tool, arguments: Self.arguments, naming: words)
    }

    @Test func `lists that contradict themselves or the folder are refused`() async throws {
        let tool = try await Self.project()
        try await tool.shell("cp export/beta/1.0.0.zip export/1.0.0.zip")
        try await expectRefusal(
            tool, arguments: Self.arguments,
            naming: ["1.0.0.zip and beta/1.0.0.zip would both be the version 1.0.0", "import.csv"])
        try tool.write(["export/import.csv": "file,version\n../../etc/passwd,1.0.0\n"])
        try await expectRefusal(tool, arguments: Self.arguments, naming: ["import.csv: line 2", "../../etc/passwd"])
        try tool.write(["export/import.csv": "file,version,channel\n1.0.0.zip,1.0.0,Big Beta\n"])
        try await expectRefusal(tool, arguments: Self.arguments, naming: ["--map \"Big Beta\"=NAME"])
        try await expectRefusal(
            tool, arguments: Self.arguments + ["--map", "Beta=stable"], naming: ["no channel or deployment \"Beta\""])
        try await expectRefusal(tool, "import", "nowhere", "--from", "zips", "--package", "shop", naming: ["nowhere"])
        // The configuration's package counts where there is one.
        try await tool.shell("rm packtool.json").expectSuccess()
        try await expectRefusal(tool, "import", "export", "--from", "zips", naming: ["--package ID"])
    }

    @Test func `a private key in a version of before is told, and keeps nothing back`() async throws {
        let tool = try await Self.project()
        let text = String(repeating: "MC4CAQAw", count: 8)
        let key = "-----BEGIN RSA PRIVATE KEY-----\n\(text)\n-----END RSA PRIVATE KEY-----"
        try await tool.writeZips(["export/beta/1.1.0.zip": ["index.html": "<title>1.1.0</title>", "key.pem": key]])
        let done = try await tool.run(Self.arguments).expectSuccess()
        #expect(done.standardError.contains("beta/1.1.0.zip/key.pem:1: warning: there is a private key"), "\(done)")
    }

    @Test func `an encrypted bundle is named as one`() async throws {
        let tool = try await Self.project()
        try tool.write([
            "export/2.0.0.zip": "encrypted bytes",
            "export/bundles.json": #"[{"name": "2.0.0", "session_key": "iv:key"}]"#,
        ])
        try await expectRefusal(
            tool, "import", "export", "--from", "capgo", "--package", "shop",
            naming: ["2.0.0.zip is encrypted for the app", "capgo bundle decrypt"])
    }

    @Test func `a channel that needs approvals, and a version that was withdrawn, stay as they are`() async throws {
        let tool = try await Self.project()
        try await tool.run(Self.arguments + ["--no-wait"]).expectSuccess()
        try await tool.writeZips(["export/beta/1.1.0.zip": ["index.html": "<title>next</title>"]])
        try await tool.run("channel", "beta", "--approvals", "1").expectSuccess()
        try await expectRefusal(tool, arguments: Self.arguments, naming: ["beta requires 1 approval", "--approvals 0"])
        try await tool.run("channel", "beta", "--approvals", "0", "--emergency", "--reason", "import").expectSuccess()
        try await tool.run(Self.arguments + ["--no-wait"]).expectSuccess()
        try await tool.run("withdraw", "shop@1.1.0", "--reason", "broken", "--yes").expectSuccess()
        let again = try await tool.run(Self.arguments).expectSuccess()
        #expect(again.standardOutput.contains("withdrawn  shop 1.1.0"), "\(again)")
        #expect(try await tool.overview(of: "shop", channel: "beta").offers == ["1.0.0"])
    }
}
