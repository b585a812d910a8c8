import Foundation
import PackArchive
import PackFormat
import Testing

@testable import PackBuilder

struct BuilderTests {
    @Test func `a folder becomes a package that verifies, and nothing else is written`() throws {
        let project = try Project(["dist/index.html": "<p>hi</p>", "dist/static/a.js": "1"])
        let report = try project.build("dist")
        #expect(try project.listing("packages") == ["dist-1.0.0.zip"])
        let package = try PackageArchive.open(project("packages/dist-1.0.0.zip"))
        #expect(package.manifest == report.packages[0].manifest)
        #expect(try project.paths(report.packages[0]) == ["index.html", "pack.json", "static/a.js"])
    }

    // MARK: Who it is

    @Test func `flags come before packtool.json, and that before package.json`() throws {
        let project = try Project([
            "a/dist/index.html": "", "a/package.json": #"{"name": "@shop/cart", "version": "3.0.0", "x": 1.5}"#,
        ])
        func built(_ change: (inout BuildRequest) throws -> Void = { _ in }) throws -> String {
            var request = BuildRequest(dists: [project("a/dist")])
            request.out = project("out")
            try change(&request)
            let manifest = try Builder(request).build().packages[0].manifest
            return "\(manifest.package) \(manifest.version)"
        }
        #expect(try built() == "cart 3.0.0")
        try project.write(#"{ "package": "checkout" } // no version"#, to: "packtool.json")
        #expect(try built() == "checkout 3.0.0")
        try project.write(#"{ "package": "checkout", "version": "2.0.0" }"#, to: "packtool.json")
        #expect(try built() == "checkout 2.0.0")
        #expect(
            try built {
                $0.versions = [try SemanticVersion("1.0.0")]
                $0.packages = [try PackageID("flag")]
            } == "flag 1.0.0")
    }

    @Test func `no id, no version, an invalid one or the same twice is a clear error`() throws {
        let project = try Project(["dist/index.html": "", "b/index.html": ""])
        func message(_ change: (inout BuildRequest) throws -> Void) -> String {
            do {
                _ = try Builder(try project.request("dist", change: change)).build()
                return "built"
            } catch {
                return "\(error)"
            }
        }
        #expect(message { $0.packages = [] }.contains("no package id for"))
        #expect(message { $0.versions = [] }.contains("no version for"))
        #expect(message { $0.dists = [] }.contains("no folder to build"))
        #expect(message { $0.dists = [project("none")] }.contains("is not a folder"))
        #expect(message { $0.dists = [project("dist/index.html")] }.contains("is not a folder"))
        #expect(
            message {
                $0.dists = [project("dist"), project("b")]
                $0.packages = [try PackageID("x"), try PackageID("x")]
            }.contains("would both be the package \"x\""))
        #expect(
            message { $0.packages = [try PackageID("a"), try PackageID("b")] }.contains(
                "--package is given 2 times for 1 folder"))
        try project.write(#"{"name": "Shop_Front", "version": "1.0.0"}"#, to: "package.json")
        #expect(message { $0.packages = [] }.contains("package.json"))
        #expect(try !project.listing().contains("packages"))
    }

    @Test func `a package.json without a name in the dist does not hide the project's`() throws {
        let project = try Project([
            "dist/index.html": "", "dist/package.json": #"{"type": "module"}"#,
            "package.json": #"{"name": "@shop/cart", "version": "3.0.0"}"#,
        ])
        var request = BuildRequest(dists: [project("dist")])
        request.out = project("out")
        let manifest = try Builder(request).build().packages[0].manifest
        #expect("\(manifest.package) \(manifest.version)" == "cart 3.0.0")
    }

    // MARK: What is left out

    @Test func `what a device never needs is left out and listed, and can be taken in again`() throws {
        let files = [
            "index.html", "a.js", "a.js.map", ".DS_Store", ".git/HEAD", "node_modules/x/index.js", "notes.txt",
            ".well-known/assetlinks.json", "sub/.env", "sub/b.css.map",
        ]
        let project = try Project(Dictionary(uniqueKeysWithValues: files.map { ("dist/\($0)", "x") }))
        var package = try project.build("dist").packages[0]
        #expect(
            try project.paths(package) == [
                ".well-known/assetlinks.json", "a.js", "index.html", "notes.txt", "pack.json",
            ])
        #expect(
            package.leftOut.map { "\($0.path) \($0.pattern)" } == [
                ".DS_Store .*", ".git/ .*", "a.js.map *.map", "node_modules/ node_modules/", "sub/.env .*",
                "sub/b.css.map *.map",
            ])
        try project.write("!*.map\nnotes.txt\n", to: ".packignore")
        try project.write("{ \"ignore\": [\"sub/\"] }", to: "packtool.json")
        package = try project.build("dist").packages[0]
        #expect(
            try project.paths(package) == [
                ".well-known/assetlinks.json", "a.js", "a.js.map", "index.html", "pack.json",
            ])
    }

    @Test func `a compressed copy beside its original is left out, listed, and can be kept`() throws {
        let files = ["index.html", "a.js", "a.js.gz", "a.js.br", "sub/b.css", "sub/b.css.zst", "model.gz", "c.js.br"]
        let project = try Project(Dictionary(uniqueKeysWithValues: files.map { ("dist/\($0)", "x") }))
        var package = try project.build("dist").packages[0]
        #expect(
            try project.paths(package) == ["a.js", "c.js.br", "index.html", "model.gz", "pack.json", "sub/b.css"])
        #expect(
            package.leftOut.map { "\($0.path) \($0.pattern)" } == [
                "a.js.br the file beside it, compressed", "a.js.gz the file beside it, compressed",
                "sub/b.css.zst the file beside it, compressed",
            ])
        try project.write("!*.gz\n", to: ".packignore")
        package = try project.build("dist").packages[0]
        #expect(package.leftOut.map(\.path) == ["a.js.br", "sub/b.css.zst"])
    }

    @Test func `the output folder inside the dist is not packed`() throws {
        let project = try Project(["index.html": "x"])
        for _ in 0..<2 {
            var request = BuildRequest(dists: [project.url])
            request.packages = [try PackageID("site")]
            request.versions = [try SemanticVersion("1.0.0")]
            request.out = project("packages")
            let package = try Builder(request).build().packages[0]
            #expect(try project.paths(package) == ["index.html", "pack.json"])
        }
    }

    @Test func `a package that lies in the dist is left out and listed, and any other zip is packed`() throws {
        let project = try Project(["dist/index.html": "x"])
        let first = try project.build("dist").packages[0]
        try project.write("no package", to: "dist/files.zip")
        try FileManager.default.createDirectory(at: project("dist/old"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: first.archive, to: project("dist/old/site-1.0.0.zip"))
        let package = try project.build("dist").packages[0]
        #expect(try project.paths(package) == ["files.zip", "index.html", "pack.json"])
        #expect(package.leftOut.map { "\($0.path) \($0.pattern)" } == ["old/site-1.0.0.zip a package"])
    }

    // MARK: Bad input

    private func refusal(_ project: Project, _ change: (inout BuildRequest) throws -> Void = { _ in }) -> String {
        do {
            _ = try Builder(try project.request("dist", change: change)).build()
            return "built"
        } catch {
            return "\(error)"
        }
    }

    @Test func `an empty dist, or one of which all is left out, is refused`() throws {
        let project = try Project()
        try FileManager.default.createDirectory(at: project("dist/sub"), withIntermediateDirectories: true)
        #expect(refusal(project).contains("is empty"))
        try project.write("", to: "dist/a.map")
        #expect(refusal(project).contains("has nothing to pack: 1 entry is left out"))
        #expect(try !project.listing().contains("packages"))
    }

    @Test func `a missing entry page is refused with a hint`() throws {
        let project = try Project(["dist/Index.html": ""])
        #expect(refusal(project).contains("there is no entry page \"index.html\"; there is \"Index.html\""))
        try FileManager.default.removeItem(at: project("dist/Index.html"))
        try project.write("", to: "dist/start.html")
        #expect(refusal(project).contains("--entry start.html"))
        #expect(refusal(project) { $0.entry = try PackagePath("start.html") } == "built")
    }

    @Test func `symbolic links are followed inside the folder and refused out of it`() throws {
        let project = try Project(["dist/index.html": "inside", "secret.txt": "outside"])
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: project("dist/copy.html").path, withDestinationPath: "index.html")
        let package = try project.build("dist").packages[0]
        #expect(try project.paths(package) == ["copy.html", "index.html", "pack.json"])
        for (target, reason) in [
            ("../secret.txt", "outside the folder"), ("/etc/hostname", "outside the folder"),
            ("none", "a symbolic link to nothing"), (".", "a symbolic link to a folder"), ("..", "outside the folder"),
        ] {
            try manager.createSymbolicLink(atPath: project("dist/link").path, withDestinationPath: target)
            #expect(refusal(project).contains(reason), "\(target)")
            // A link that is left out harms nobody.
            #expect(throws: Never.self) {
                try project.write("link\n", to: ".packignore")
                _ = try project.build("dist")
            }
            try manager.removeItem(at: project(".packignore"))
            try manager.removeItem(at: project("dist/link"))
        }
    }

    @Test func `a FIFO is refused and not waited for`() throws {
        let project = try Project(["dist/index.html": ""])
        #expect(mkfifo(project("dist/pipe").path, 0o644) == 0)
        #expect(refusal(project).contains("is a device, FIFO or socket"))
    }

    @Test func `a file over the limit is refused before it is read`() throws {
        let project = try Project(["dist/index.html": "", "dist/huge.bin": ""])
        #expect(truncate(project("dist/huge.bin").path, 5 << 30) == 0)
        let start = ContinuousClock.now
        #expect(refusal(project).contains("huge.bin has 5368709120 bytes and the limit is"))
        #expect(start.duration(to: .now) < .seconds(20))
        #expect(refusal(project) { $0.limits.maximumFileSize = .max }.contains("has 5368709120 bytes"))
        #expect(try !project.listing().contains("packages"))
    }

    @Test func `too many files, a reserved name and names that cannot be are refused`() throws {
        let project = try Project(["dist/index.html": "", "dist/a": "", "dist/b": ""])
        #expect(refusal(project) { $0.limits.maximumFileCount = 3 }.contains("has more than 2 files"))
        try project.write("", to: "dist/pack.json")
        #expect(refusal(project).contains("is the manifest's name"))
        try FileManager.default.removeItem(at: project("dist/pack.json"))
        for path in ["dist/PACK.JSON", "dist/pack.json/x"] {
            try project.write("", to: path)
            #expect(refusal(project).contains("is the manifest's name"), "\(path)")
            try FileManager.default.removeItem(at: project(String(path.prefix(14))))
        }
        for (name, reason) in [
            ("e\u{301}.js", "not in Unicode form NFC"), ("a\\b", "backslash"), ("a:b", "colon"), ("a\nb", "control"),
        ] {
            let path = project("dist").path + "/" + name
            #expect(creat(path, 0o644) >= 0)
            let text = refusal(project)
            #expect(text.contains(reason) && text.contains("[invalid-name]"), "\(text)")
            unlink(path)
        }
        #expect(creat(project("dist").path + "/INDEX.html", 0o644) >= 0)
        #expect(refusal(project).contains("differ only in upper and lower case"))
    }

    @Test func `an unreadable file is refused by its name`() throws {
        let project = try Project(["dist/index.html": "", "dist/locked.js": "x"])
        chmod(project("dist/locked.js").path, 0)
        // The superuser reads everything, so there the file is replaced by one that no one can read.
        if getuid() == 0 {
            try FileManager.default.removeItem(at: project("dist/locked.js"))
            try FileManager.default.createSymbolicLink(
                atPath: project("dist/locked.js").path, withDestinationPath: "locked.js")
        }
        #expect(refusal(project).contains("locked.js"))
        #expect(try !project.listing().contains("packages"))
    }

    @Test func `the dist itself as output folder is refused`() throws {
        let project = try Project(["dist/index.html": ""])
        #expect(refusal(project) { $0.out = project("dist") }.contains("is the folder to build"))
        #expect(try project.listing("dist") == ["index.html"])
    }

    @Test func `where one zip cannot stand in its place, none does`() throws {
        let project = try Project(["a/index.html": "a", "b/index.html": "b", "packages/b-1.0.0.zip/x": ""])
        #expect(throws: ArchiveError.self) { try project.build("a", "b") }
        #expect(try project.listing("packages") == ["b-1.0.0.zip", "b-1.0.0.zip/x"])
    }

    @Test func `what a killed build left long ago is cleared, and nothing else`() throws {
        let project = try Project(["dist/index.html": "x", "packages/.a-1.0.0.zip.7.tmp": "", "packages/.b.tmp": ""])
        try project.write("", to: "packages/.new-1.0.0.zip.8.tmp")
        for name in [".a-1.0.0.zip.7.tmp", ".b.tmp"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9)],
                ofItemAtPath: project("packages/\(name)").path)
        }
        _ = try project.build("dist")
        #expect(try project.listing("packages") == [".b.tmp", ".new-1.0.0.zip.8.tmp", "dist-1.0.0.zip"])
    }

    @Test func `an output folder that cannot be made is a clear error`() throws {
        let project = try Project(["dist/index.html": "", "file": ""])
        #expect(refusal(project) { $0.out = project("file/packages") }.contains("file/packages"))
    }

    // MARK: Reproducible

    @Test func `folder, order, times, modes and cache do not change a byte`() throws {
        let files = (0..<40).map { ("dist/f\($0 * 7 % 40)/ü\($0).js", String(repeating: "x\($0);", count: $0 * 50)) }
        let first = try Project(Dictionary(uniqueKeysWithValues: files + [("dist/index.html", "")]))
        let second = try Project()
        try second.write("", to: "dist/index.html")
        for (path, text) in files.reversed() {
            try second.write(text, to: path)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9), .posixPermissions: 0o600],
                ofItemAtPath: second(path).path)
        }
        let cache = CompressionCache(folder: second("cache"))
        let zips = try [
            first.build("dist"), second.build("dist") { $0.cache = cache }, second.build("dist") { $0.cache = cache },
        ].map { try Data(contentsOf: $0.packages[0].archive) }
        #expect(zips[0] == zips[1])
        #expect(zips[0] == zips[2])
    }

    @Test func `damage in the cache changes no byte of any package, bundle or not, and is repaired`() throws {
        func text(_ word: Int) -> String { (0..<300).map { "let value\($0) = \($0 &* word);\n" }.joined() }
        let shared = Dictionary(uniqueKeysWithValues: (1..<20).map { ("vendor/\($0).js", text($0)) })
        let project = try Project()
        for (dist, first) in [("a", 100), ("b", 200)] {
            try project.write("", to: "\(dist)/index.html")
            for (path, text) in shared { try project.write(text, to: "\(dist)/\(path)") }
            for number in 0..<20 { try project.write(text(first + number), to: "\(dist)/own/\(number).js") }
        }
        let cache = CompressionCache(folder: project("cache"))
        func zips() throws -> [Data] {
            try project.build("a", "b") {
                $0.cache = cache
                $0.sharesAutomatically = true
            }.packages.map { try Data(contentsOf: $0.archive) }
        }
        let whole = try zips()
        #expect(whole.count == 3)
        for part in 1..<10 {
            let names = try project.listing("cache").filter { $0.hasSuffix(".pack") }
            for name in names {
                var bytes = try Data(contentsOf: project("cache/\(name)"))
                bytes[bytes.count * part / 10] ^= 0x10
                try bytes.write(to: project("cache/\(name)"))
            }
            #expect(try zips() == whole)
            // What was damaged is gone, unless nothing of it was needed.
            #expect(try zips() == whole)
            #expect(try project.listing("packages").count == 3)
        }
    }

    // MARK: Budget

    @Test func `a size over the budget fails the build and says by how much`() throws {
        let project = try Project([
            "dist/index.html": "x", "dist/a.js": String(repeating: "x", count: 2000), "dist/b.css": "y",
            "packtool.json": #"{ "budget": { "total": 1500, "files": { "*.js": "1 kB" }, "file": 1900 } }"#,
        ])
        let text = refusal(project)
        #expect(
            text.contains("the files have 2.0 kB in all, 502 B over the budget of 1.5 kB: raise it in packtool.json"))
        #expect(
            text.contains(
                "a.js: error: the file has 2.0 kB, 1.0 kB over the budget for *.js of 1.0 kB in packtool.json [budget]")
        )
        #expect(try !project.listing().contains("packages"))
        try project.write(#"{ "budget": { "total": 2002, "file": "2 kB" } }"#, to: "packtool.json")
        #expect(refusal(project) == "built")
    }
}
