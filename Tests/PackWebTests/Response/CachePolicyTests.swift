import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

struct CachePolicyTests {
    private let store: TestStore
    private let files = [
        "index.html": "<p>", "app.3f9a1c2b.js": "1", "sw.js": "2", "app.webmanifest": "{}", "picture.svg": "<svg/>",
        "page.xhtml": "<html/>",
    ]

    init() throws {
        store = try TestStore()
    }

    private func control(_ path: String, package: [String: String], _ headers: [String: String] = [:]) throws -> String?
    {
        let page = PageSession(TestCatalog(try store.content(headers: package, serviceWorker: true, files)))
        return try page.get("https://shop.package/\(path)", headers).headers["cache-control"]
    }

    @Test func `without a word of the package every answer is asked for anew`() throws {
        for path in files.keys { #expect(try control(path, package: [:]) == "no-cache", "\(path)") }
    }

    @Test func `what the package allows holds for parts, and never for what steers a page`() throws {
        let kept = ["cache-control": "max-age=31536000, immutable"]
        #expect(try control("app.3f9a1c2b.js", package: kept) == "max-age=31536000, immutable")
        #expect(try control("picture.svg", package: kept) == "max-age=31536000, immutable")
        for path in ["", "index.html", "page.xhtml", "app.webmanifest"] {
            #expect(try control(path, package: kept) == "no-cache", "\(path)")
        }
        #expect(try control("sw.js", package: kept, ["Sec-Fetch-Dest": "serviceworker"]) == "no-cache")
        #expect(try control("sw.js", package: kept, ["Service-Worker": "script"]) == "no-cache")
    }

    @Test func `a package may ask for more, a part and a revalidation are no exception, an error is kept by nobody`()
        throws
    {
        let strict = ["cache-control": "private, no-store"]
        #expect(try control("index.html", package: strict) == "private, no-store")
        let page = PageSession(TestCatalog(try store.content(headers: ["cache-control": "max-age=9"], files)))
        let whole = try page.get("https://shop.package/index.html")
        let tag = try #require(whole.headers["etag"])
        let same = try page.get("https://shop.package/index.html", ["If-None-Match": tag])
        #expect(same.status == 304)
        #expect(same.headers["cache-control"] == "no-cache")
        let part = try page.get("https://shop.package/picture.svg", ["Range": "bytes=0-1"])
        #expect(part.status == 206)
        #expect(part.headers["cache-control"] == "max-age=9")
        #expect(try page.get("https://shop.package/none.js").headers["cache-control"] == "no-store")
    }
}
