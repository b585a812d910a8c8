import Foundation
import PackFormat
import Testing

struct SiteServingTests {
    static let page = Array("<!doctype html><title>Checkout</title>".utf8)
    static let script = Array("export {}".utf8)
    static let vendor = Array("window.vendor = 1".utf8)

    static func host(isSinglePage: Bool = false) throws -> FolderHost {
        let host = try FolderHost(["metadata/timestamp.json": [1]])
        let bundle = try PackageID("web-common")
        func file(_ bytes: [UInt8], from: PackageID? = nil) -> Manifest.File {
            Manifest.File(digest: Digest(of: bytes), size: bytes.count, from: from)
        }
        let manifest = try Manifest(
            package: PackageID("checkout"), version: SemanticVersion("1.4.0+b"), entry: PackagePath("index.html"),
            files: [
                PackagePath("index.html"): file(page), PackagePath("sub/page.html"): file(page),
                PackagePath("app.mjs"): file(script), PackagePath("static/vendor.js"): file(vendor, from: bundle),
            ],
            shared: [bundle: .init(version: SemanticVersion("2.0.0"), manifest: Digest(of: [1]))],
            isSinglePage: isSinglePage,
            headers: [
                "content-security-policy": "default-src 'self'", "set-cookie": "a=b", "content-length": "1",
                "service-worker-allowed": "/", "clear-site-data": "\"*\"", "referrer-policy": "no-referrer",
            ])
        try host.publish(manifest, [page, script, vendor])
        return host
    }

    @Test func `a version's site is served with its types, tags and header fields`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let entry = try await server.ask("GET", "/site/checkout/1.4.0+b/")
            #expect((entry.status, entry.body) == (200, Self.page))
            #expect(entry["content-type"] == "text/html; charset=utf-8")
            #expect(entry["content-security-policy"] == "default-src 'self'")
            #expect(entry["referrer-policy"] == "no-referrer")
            // Every site is on the registry's one origin.
            for name in ["set-cookie", "service-worker-allowed", "clear-site-data"] { #expect(entry[name] == nil) }
            #expect(entry["cache-control"] == "public, max-age=31536000, immutable")
            let script = try await server.ask("GET", "/site/checkout/1.4.0%2Bb/app.mjs?v=1")
            #expect((script.body, script["content-type"]) == (Self.script, "text/javascript; charset=utf-8"))
            #expect(
                try await server.ask(
                    "GET", "/site/checkout/1.4.0+b/app.mjs", ["If-None-Match": script["etag"] ?? ""]
                ).status == 304)
            #expect(
                try await server.ask("GET", "/site/checkout/1.4.0+b/app.mjs", ["Range": "bytes=-2"]).text == "{}")
        }
    }

    @Test func `a file of a shared bundle has the package's own path`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask("GET", "/site/checkout/1.4.0+b/static/vendor.js")
            #expect((answer.status, answer.body) == (200, Self.vendor))
        }
    }

    @Test func `a site without its slash is redirected, so that its links work`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask("GET", "/site/checkout/1.4.0+b")
            #expect((answer.status, answer["location"]) == (308, "/site/checkout/1.4.0+b/"))
            #expect(try await server.ask("GET", "/site/checkout/1.4.0+b/sub/page").body == Self.page)
        }
    }

    @Test(arguments: [
        "/site/checkout/9.9.9/", "/site/other/1.4.0/", "/site/checkout/", "/site/checkout", "/site/", "/site",
        "/site/checkout/1.4.0+b/none.js", "/site/checkout/1.4.0+b/pack.json", "/site/CHECKOUT/1.4.0+b/",
        "/site/checkout/1.4/", "/site/checkout/1.4.0+b/%2e%2e/x", "/site/checkout/1.4.0+b/..%2f", "/site//1.4.0+b/",
        "/site/checkout/1.4.0+b/sub//page.html", "/site/checkout/1.4.0+b/index.html%00",
    ])
    func `what is not in the manifest is not there`(target: String) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask("GET", target)
            #expect([400, 404].contains(answer.status))
            #expect(answer["content-type"] == "application/problem+json")
        }
    }

    @Test func `a single page's routes get the entry for a page and nothing for data`() async throws {
        try await RunningServer.with(Self.host(isSinglePage: true)) { (server) async throws in
            let route = "/site/checkout/1.4.0+b/orders/7"
            #expect(try await server.ask("GET", route, ["Sec-Fetch-Mode": "navigate"]).body == Self.page)
            #expect(try await server.ask("GET", route, ["Accept": "text/html,*/*"]).body == Self.page)
            #expect(
                try await server.ask("GET", route, ["Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"]).body
                    == Self.page)
            // As on the device: who says nothing is taken for a page.
            #expect(try await server.ask("GET", route).body == Self.page)
            #expect(try await server.ask("GET", route, ["Sec-Fetch-Mode": "cors"]).status == 404)
            #expect(
                try await server.ask("GET", route, ["Sec-Fetch-Dest": "empty", "Accept": "text/html"]).status == 404)
            #expect(try await server.ask("GET", route, ["Accept": "application/json"]).status == 404)
        }
    }
}
