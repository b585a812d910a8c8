import Foundation
import PackFormat
import Testing

@testable import PackBuilder

/// What a build says of the content of files, of names and of folders, by the text that a person reads.
struct ContentAuditTests {
    private let page = "<script>globalThis.packtool?.confirm?.()</script>"

    private func findings(
        _ files: [String: String], configuration: String = "{}", change: (inout BuildRequest) throws -> Void = { _ in }
    ) throws -> [Finding] {
        let project = try Project(Dictionary(uniqueKeysWithValues: files.map { ("dist/\($0.key)", $0.value) }))
        try project.write(configuration, to: "packtool.json")
        do {
            return try project.build("dist", change: change).findings
        } catch BuildError.refused(let findings) {
            return findings
        }
    }

    /// What a command prints becomes a file of the dist.
    private func write(_ command: String, to path: String, in project: Project) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "set -e -o pipefail; (\(command)) > dist/\(path) 2>/dev/null; test -s dist/\(path)"]
        process.currentDirectoryURL = project.url
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command)")
    }

    private func texts(_ findings: [Finding]) -> [String] {
        findings.map { "\($0.severity.rawValue) \($0.message)" }
    }

    @Test func `a package that no page can confirm is warned of, with the lines to add`() throws {
        let found = try findings(["index.html": "<h1>Shop</h1>"])
        #expect(found.map(\.kind) == [.noConfirm])
        #expect(
            found.first?.message.hasSuffix(
                """
                such as at the end of its start:
                    globalThis.packtool?.confirm?.();
                Not in an event such as load: a page whose script has failed gets that too.
                """) == true)
        #expect(try findings(["index.html": page]).isEmpty)
        #expect(
            try findings(["index.html": "<script src=a.js></script>", "a.js": "window.packtool.confirm()"]).isEmpty)
        #expect(try findings(["index.html": "x"], configuration: #"{"audit": {"no-confirm": "off"}}"#).isEmpty)
        // Text about packtool, and another confirm, are no call.
        let text = ["index.html": "<p>packtool build</p><script src=a.js></script>", "a.js": "confirm('Sure?')"]
        #expect(try findings(text).map(\.kind) == [.noConfirm])
    }

    @Test func `a private key or a token is refused, and packed where that is said`() throws {
        let key =
            "-----BEGIN PRIVATE KEY-----\n" + String(repeating: "MC4CAQAw", count: 8) + "\n-----END PRIVATE KEY-----\n"
        let files = [
            "index.html": page, "owner.pem": key, "a.js": "let t = 'ptk_\(String(repeating: "a1", count: 24))'",
        ]
        let found = try findings(files)
        #expect(found.map(\.severity) == [.error, .error])
        #expect(
            found.first?.message
                == "the file contains a packtool token, and every device would get it: remove it, leave the file out with "
                + ".packignore, or say --allow-secrets")
        #expect(found.last?.message.hasPrefix("the file contains a private key") == true)
        #expect(try findings(files) { $0.allowsSecrets = true }.map(\.severity) == [.warning, .warning])
        // Names of a compiler's texts are no tokens, and a token is one among them.
        let name = "Cannot_find_name_0_Try_npm_i_save_dev_types_Slashjest_or_npm_i_save_dev_types_Slashmocha"
        let token = "npm_" + String(repeating: "aB3", count: 12)
        #expect(try findings(["index.html": page, "tsc.js": "let \(name) = 1; x.\(name.dropFirst(23))"]).isEmpty)
        #expect(try findings(["index.html": page, "tsc.js": "let \(name) = '\(token)'"]).map(\.severity) == [.error])
        // A library that reads keys has the words only; a certificate is public.
        #expect(
            try findings([
                "index.html": page, "lib.js": #"x.replace("-----BEGIN PRIVATE KEY-----","").replace("-----END","")"#,
                "cert.pem": key.replacingOccurrences(of: "PRIVATE KEY", with: "CERTIFICATE"),
            ]).isEmpty)
    }

    /// As tools write them: each way and each form that openssl knows, and a registry's own key file.
    @Test(arguments: [
        "openssl genpkey -algorithm ed25519 -outform DER", "openssl genpkey -algorithm X448 -outform DER",
        "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -outform DER",
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -outform DER",
        "openssl ecparam -name secp384r1 -genkey -noout -outform DER",
        "openssl genrsa -traditional 2048 | openssl rsa -traditional -outform DER",
        "openssl genpkey -algorithm ed25519 | openssl pkcs8 -topk8 -passout pass:x -outform DER",
        "openssl genpkey -algorithm ed25519 | python3 -c 'import json,sys; print(json.dumps(sys.stdin.read()).replace(chr(92)+\"n\",chr(92)+\"u000a\"))'",
    ])
    func `a private key is found in every form`(command: String) throws {
        let project = try Project(["dist/index.html": page])
        try write(command, to: "data", in: project)
        let error = #expect(throws: BuildError.self) { try project.build("dist") }
        #expect(
            "\(error.map { "\($0)" } ?? "")".contains("the file contains a private key"),
            "\(error.map { "\($0)" } ?? "")")
        // One byte less is no key.
        let file = project("dist/data")
        if command.hasSuffix("DER") {
            try Data(contentsOf: file).dropLast().write(to: file)
            _ = try project.build("dist")
        }
    }

    @Test(arguments: [
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=x -outform DER",
        "openssl genpkey -algorithm ed25519 | openssl pkey -pubout -outform DER",
        "openssl genrsa 2048 | openssl rsa -RSAPublicKey_out -outform DER",
    ])
    func `what is public is no secret`(command: String) throws {
        let project = try Project(["dist/index.html": page])
        try write(command, to: "data", in: project)
        #expect(try project.build("dist").findings.isEmpty)
    }

    @Test func `a service worker is warned of where the package does not ask for one`() throws {
        let files = ["index.html": page, "a.js": "x\nnavigator.serviceWorker.register('/sw.js')", "sw.js": ""]
        let found = try findings(files)
        #expect(found.map(\.line) == [2])
        #expect(
            texts(found) == [
                "warning registers a service worker, which devices refuse: say \"serviceWorker\": true in packtool.json, "
                    + "or remove the registration"
            ])
        #expect(try findings(files, configuration: #"{"serviceWorker": true}"#).isEmpty)
        #expect(try findings(["index.html": page, "a.js": "navigator.serviceWorker.getRegistrations()"]).isEmpty)
    }

    @Test(arguments: [
        ("a\u{202E}gpj.js", "changes the direction of text (U+202E)"),
        ("a\u{200B}.js", "an invisible character (U+200B)"),
        ("aux.js", "\"aux\" is a device on Windows"), ("COM1", "\"com1\" is a device"), ("a.", "it ends with a dot"),
    ])
    func `a risky name is a warning, which strict refuses`(name: String, reason: String) throws {
        let found = try findings(["index.html": page, name: ""])
        #expect(found.map(\.kind) == [.riskyName])
        #expect(found.first?.message.contains(reason) == true, "\(found)")
        #expect(try findings(["index.html": page, name: ""]) { $0.isStrict = true }.map(\.severity) == [.error])
        for plain in ["auxiliary.js", "console.js", "com10.js", "größe.js"] {
            #expect(RiskyName.reason(try PackagePath(plain)) == nil)
        }
    }

    @Test func `a missing script or style of the entry page is an error, and of another page a warning`() throws {
        let tags = "<script src='gone.js'></script><link rel=stylesheet href='gone.css'><img src='gone.png'>"
        #expect(
            try findings(["index.html": page + tags, "b.html": tags]).map { "\($0.severity) \($0.target ?? "")" }
                == [
                    "warning gone.js", "warning gone.css", "warning gone.png", "error gone.js", "error gone.css",
                    "warning gone.png",
                ])
    }

    @Test func `levels by kind and file are the project's, the last pattern that matches counts`() throws {
        let image = "<img src='gone.png'>"
        let files = ["index.html": page + image, "docs/a.html": image, "docs/b.html": image]
        let levels = #"{"audit": {"missing-file": {"**": "error", "docs/**": "off", "docs/b.html": "warning"}}}"#
        #expect(
            try findings(files, configuration: levels).map { "\($0.severity) \($0.file?.suffix(11) ?? "")" }
                == ["warning docs/b.html", "error /index.html"])
    }

    @Test func `the base that the entry page tells is taken and said, and one slash turns that off`() throws {
        let project = try Project([
            "dist/index.html": page + "<script src='/static-files/js/a.js'></script><img src='/api/me'>",
            "dist/js/a.js": "",
        ])
        let report = try project.build("dist")
        #expect(report.packages.first?.manifest.base?.text == "/static-files/")
        #expect(
            report.notes == [
                "base /static-files/: the entry page of dist loads its files from there, and the package has them without "
                    + "it. Say \"base\": \"/static-files/\" in packtool.json, or --base / where that is wrong"
            ])
        #expect(try DistPreview(project("dist")).manifest.base?.text == "/static-files/")
        #expect(throws: BuildError.self) { try project.build("dist") { $0.base = .root } }
        #expect(try DistPreview(project("dist"), base: .root).manifest.base == nil)
    }

    @Test func `findings that begin alike are ten and a count, and all of them where that is asked`() throws {
        let images = (1...30).map { "<img src='/static/\($0).png'>" }.joined()
        let found = try findings(["index.html": page + images])
        let lines = FindingSummary(found, showsAll: false).lines
        #expect(lines.count == 11)
        #expect(lines.last == "… and 20 more warnings [missing-file] at /static/, 30 in all: --verbose lists them")
        #expect(FindingSummary(found, showsAll: true).lines.count == 30)
        #expect(BuildError.countText([found[0].with(.error)]) == "1 error, nothing was written")
    }

    @Test func `what the last published version would not get is new`() throws {
        let manifest = try Project(["dist/index.html": page + "<img src='old.png'>"]).build("dist").packages[0].manifest
        var audit = PublishedAudit(manifest)
        for object in audit.pages { audit.read(Array((page + "<img src='old.png'>").utf8), of: object.digest) }
        let known = [manifest.package: audit.keys]
        let found = try findings(["index.html": page + "<img src='old.png'><img src='new.png'>"]) { $0.known = known }
        #expect(found.map { "\($0.severity) \($0.target ?? "")" } == ["warning old.png", "error new.png"])
    }

    @Test func `a call of confirm that is gone is new, one that never was is not`() throws {
        let published = ["index.html": "<script src=a.js></script>", "a.js": "packtool.confirm()"]
        let project = try Project(Dictionary(uniqueKeysWithValues: published.map { ("dist/\($0.key)", $0.value) }))
        let manifest = try project.build("dist").packages[0].manifest
        var audit = PublishedAudit(manifest)
        let now = ["index.html": "<script src=a.js></script>", "a.js": "start()"]
        #expect(try findings(now) { $0.known = [manifest.package: audit.keys] }.map(\.severity) == [.warning])
        for object in audit.pages { audit.read(Array((published["index.html"] ?? "").utf8), of: object.digest) }
        #expect(!audit.canConfirm && audit.scripts.count == 1)
        for object in audit.scripts { audit.read(Array((published["a.js"] ?? "").utf8), of: object.digest) }
        #expect(audit.canConfirm)
        let found = try findings(now) { $0.known = [manifest.package: audit.keys] }
        #expect(found.map { "\($0.severity) \($0.kind)" } == ["error noConfirm"])
    }

    @Test func `packages in the dist are left out and listed, wherever they lie`() throws {
        let project = try Project(["dist/index.html": page, "dist/data.zip": "no zip"])
        _ = try project.build("dist") { $0.out = project("dist/packages") }
        _ = try project.build("dist") { $0.out = project("dist/old") }
        let report = try project.build("dist") { $0.out = project("elsewhere") }
        #expect(try project.paths(report.packages[0]) == ["data.zip", "index.html", "pack.json"])
        #expect(
            report.packages[0].leftOut.map { "\($0.path) \($0.pattern)" } == [
                "old/dist-1.0.0.zip a package", "packages/dist-1.0.0.zip a package",
            ])
    }

    @Test func `packages go beside the configuration, and a project is no dist`() throws {
        let project = try Project([
            "packtool.json": "{}", "web/dist/index.html": page, "package.json": "{}", "src/a.ts": "",
        ])
        let report = try project.build("web/dist") { $0.out = nil }
        #expect(report.packages[0].archive.path == project("packages/web-dist-1.0.0.zip").path)
        let refusal = #expect(throws: BuildError.self) { try Builder(BuildRequest(dists: [project.url])).build() }
        #expect(
            refusal.map { "\($0)" }?.hasSuffix(
                "is a project, not what its web build writes: there is src. Give that folder, or say --whole-project if all "
                    + "of this is the site") == true)
    }

    @Test func `a version that is a number says what a version is`() throws {
        for text in ["1.0", "1"] {
            let error = #expect(throws: BuildError.self) {
                try PackConfiguration(parsing: Array("{\n\"version\": \(text)}".utf8), named: "packtool.json")
            }
            let message = error.map { "\($0)" } ?? ""
            #expect(message.hasPrefix("packtool.json:2:"))
            #expect(message.hasSuffix("a version is a string with three numbers, such as \"1.0.0\""), "\(message)")
        }
    }

    @Test func `a run's number is appended to the version`() throws {
        let project = try Project(["dist/index.html": page])
        let report = try project.build("dist") { $0.prerelease = try PrereleaseWords("ci.17") }
        #expect(report.packages[0].manifest.version.description == "1.0.0-ci.17")
    }
}
