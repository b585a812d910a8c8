import Testing

@testable import PackFormat

struct SitePathTests {
    private func site(_ paths: [String], entry: String? = "index.html", spa: Bool = false, base: String? = nil) throws
        -> Manifest
    {
        var files: [PackagePath: Manifest.File] = [:]
        for path in paths {
            files[try PackagePath(path)] = Manifest.File(digest: Digest(of: Array(path.utf8)), size: path.utf8.count)
        }
        return try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: entry.map { try PackagePath($0) },
            files: files, isSinglePage: spa, base: base.map { try BasePath($0) })
    }

    private func resolved(_ path: String, in manifest: Manifest, wantsPage: Bool = true) -> String {
        switch SitePath.resolve(path, in: manifest, wantsPage: wantsPage) {
        case .file(let path, _): path.text
        case .missing: "missing"
        case .refused: "refused"
        }
    }

    @Test(arguments: [
        ("/", "index.html"), ("/index.html", "index.html"), ("/orders", "orders/index.html"),
        ("/orders/", "orders/index.html"), ("/orders/detail", "orders/detail.html"), ("/both", "both"),
        ("/both/", "missing"), ("/detail", "missing"), ("/caf%C3%A9.html", "café.html"), ("/caf%c3%a9", "café.html"),
        ("/a..b.js", "a..b.js"), ("/a%20b.txt", "a b.txt"), ("/a+b.txt", "missing"), ("/Index.html", "missing"),
        ("/%69ndex.html", "index.html"), ("/orders/index.html", "orders/index.html"), ("/nowhere.js", "missing"),
    ])
    func `the order is exact file, index of the folder, html`(path: String, expected: String) throws {
        let manifest = try site([
            "index.html", "orders/index.html", "orders/detail.html", "both", "both.html", "café.html", "a..b.js",
            "a b.txt",
        ])
        #expect(resolved(path, in: manifest) == expected)
    }

    @Test func `the folder's index comes before the page of the same name`() throws {
        let manifest = try site(["index.html", "orders/index.html", "orders.html"])
        #expect(resolved("/orders", in: manifest) == "orders/index.html")
        #expect(resolved("/orders.html", in: manifest) == "orders.html")
    }

    @Test func `a single-page application gets its entry for unknown pages only`() throws {
        let manifest = try site(["app/main.html", "app.js"], entry: "app/main.html", spa: true)
        for path in ["/", "/orders", "/orders/17", "/orders/17/"] {
            #expect(resolved(path, in: manifest) == "app/main.html", "\(path)")
        }
        #expect(resolved("/app.js", in: manifest) == "app.js")
        #expect(resolved("/gone.js", in: manifest) == "missing")
        #expect(resolved("/v1.2/x", in: manifest) == "app/main.html")
        #expect(resolved("/api/orders", in: manifest, wantsPage: false) == "missing")
        #expect(resolved("/../orders", in: manifest) == "refused")
    }

    @Test(arguments: [
        ("/", "index.html"), ("/static-files/", "index.html"), ("/static-files", "index.html"),
        ("/static-files/app.js", "app.js"), ("/app.js", "app.js"), ("/static-files/a/", "a/index.html"),
        ("/static%2Dfiles/app.js", "app.js"), ("/static-files/own.js", "static-files/own.js"),
        ("/static-files/both.js", "both.js"), ("/static-files/static-files/both.js", "static-files/both.js"),
        ("/static-filesapp.js", "missing"), ("/x/static-files/app.js", "missing"), ("/static-files/gone.js", "missing"),
        ("/static-files/../app.js", "refused"), ("/static-files//app.js", "refused"),
    ])
    func `below the base a path is looked up without it first, then as it stands`(
        path: String, expected: String
    ) throws {
        let manifest = try site(
            ["index.html", "app.js", "a/index.html", "both.js", "static-files/both.js", "static-files/own.js"],
            base: "/static-files/")
        #expect(resolved(path, in: manifest) == expected)
    }

    @Test func `below the base a single-page application gets its entry`() throws {
        let manifest = try site(["index.html"], spa: true, base: "/app/")
        #expect(resolved("/app/orders", in: manifest) == "index.html")
        #expect(resolved("/app/gone.js", in: manifest) == "missing")
        #expect(resolved("/app/orders", in: try site(["index.html"], base: "/app/")) == "missing")
    }

    @Test func `a shared bundle has no page at its root`() throws {
        #expect(resolved("/", in: try site(["vendor.js"], entry: nil)) == "missing")
    }

    @Test(arguments: [
        "", "index.html", "/../index.html", "/..", "/a/../index.html", "/%2e%2e/index.html", "/%2E./index.html",
        "/.%2e", "//index.html", "/a//b", "/./index.html", "/%00", "/index.html%00.js", "/a\\b", "/a%5Cb",
        "/a%2Fb", "/%2Findex.html", "/%", "/%4", "/%zz", "/%C3%28", "/%C0%AE%C0%AE/index.html", "/%ED%A0%80",
        "/cafe%CC%81.html", "/C:/index.html", "/a%0Ab", "/%252e%252e/", "//", "/\u{0}",
        "/" + String(repeating: "a", count: 256), "/" + String(repeating: "a/", count: 3000),
    ])
    func `a path that no site can have leads nowhere`(path: String) throws {
        let answer = resolved(path, in: try site(["index.html", "café.html", "a/b"]))
        #expect((SitePath.fault(of: path) == nil) == (answer == "missing"))
        // A doubly encoded path is a plain name that the version does not have.
        #expect(answer == (path == "/%252e%252e/" ? "missing" : "refused"))
    }

    @Test func `every file of a version is found under its own request path`() throws {
        let paths = ["index.html", "ü/ß %.js", "a#b?.css", "日本/語.png", "~'()*!$&+,;=@.txt", "x/.well-known/y"]
        let manifest = try site(paths)
        for path in manifest.sortedPaths {
            #expect(resolved(SitePath.requestPath(of: path), in: manifest) == path.text)
        }
    }

    @Test func `no request path, however it is made, leaves the version's list`() throws {
        let manifest = try site(["index.html", "a/b.js", "a/index.html", "é.html", "..a/x", "secret"], spa: true)
        let pieces = [
            "/", "..", ".", "%2e", "%2E%2e", "%2f", "%5c", "\\", "%00", "a", "b.js", "index", ".html", "secret", "é",
            "e\u{301}", "%C3%A9", "%", "//", "?", "#", ";", ":", "~", "%ff", "%c0%af", "\u{202E}", "etc/passwd", "%25",
        ]
        for _ in 0..<20_000 {
            let path = (0..<Int.random(in: 0...8)).compactMap { _ in pieces.randomElement() }.joined()
            if case .file(let found, let file) = SitePath.resolve(path, in: manifest) {
                #expect(manifest.files[found] == file, "\(path)")
                #expect(!found.components.contains(".."), "\(path)")
            }
        }
    }
}
