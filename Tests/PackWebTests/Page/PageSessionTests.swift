import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

struct PageSessionTests {
    private let store: TestStore
    private let catalog: TestCatalog

    init() throws {
        store = try TestStore()
        catalog = TestCatalog(
            try store.content(
                origins: ["https://m.example.com/shop/"],
                headers: ["content-security-policy": "default-src 'self'", "content-length": "1", "etag": "\"x\""],
                [
                    "index.html": "<h1>one</h1>", "app.js": "let a = 'one'", "film.mp4": "0123456789",
                    "empty.txt": "",
                ]))
    }

    @Test func `a file is answered with its type, length, tag and the package's headers`() throws {
        let answer = try PageSession(catalog).get("https://shop.package/app.js?v=1#x")
        #expect(answer.status == 200)
        #expect(answer.body == "let a = 'one'")
        #expect(
            answer.headers == [
                "content-type": "text/javascript; charset=utf-8", "content-length": "13", "accept-ranges": "bytes",
                "etag": "\"\(Digest(of: Array(answer.body.utf8)))\"", "cache-control": "no-cache",
                "x-content-type-options": "nosniff", "content-security-policy": "default-src 'self'",
            ])
        #expect(answer.reason == .installed)
    }

    @Test(arguments: ["https://shop.package/", "h5pack://shop/", "https://m.example.com/shop/"])
    func `every form of address leads to the same page`(url: String) throws {
        #expect(try PageSession(catalog).get(url).body == "<h1>one</h1>")
    }

    @Test func `ranges, validators and HEAD are those of RFC 9110`() throws {
        let page = PageSession(catalog)
        let film = "https://shop.package/film.mp4"
        let part = try page.get(film, ["Range": "bytes=-3"])
        #expect(part.status == 206)
        #expect(part.body == "789")
        #expect(part.headers["content-range"] == "bytes 7-9/10")
        #expect(part.headers["content-length"] == "3")
        let outside = try page.get(film, ["Range": "bytes=10-"])
        #expect(outside.status == 416)
        #expect(outside.headers["content-range"] == "bytes */10")
        let tag = try #require(part.headers["etag"])
        let same = try page.get(film, ["If-None-Match": "\"x\", W/\(tag)"])
        #expect(same.status == 304)
        #expect(same.body.isEmpty)
        #expect(same.headers["content-length"] == nil)
        #expect(same.headers["etag"] == tag)
        let head = try page.get(film, method: "HEAD", ["Range": "bytes=0-1"])
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(head.headers["content-length"] == "10")
        #expect(try page.get(film, ["If-Match": "\"x\""]).status == 412)
        #expect(try page.get("https://shop.package/empty.txt").headers["content-length"] == "0")
        #expect(try page.get("https://shop.package/nothing", method: "HEAD").body.isEmpty)
    }

    @Test func `a page keeps its version while an update installs, and the next page has the new one`() throws {
        let page = PageSession(catalog)
        #expect(try page.get("https://shop.package/").body == "<h1>one</h1>")
        catalog.install(try store.content("shop", "2.0.0", ["index.html": "<h1>two</h1>", "new.js": "2"]))
        #expect(try page.get("https://shop.package/app.js").body == "let a = 'one'")
        #expect(try page.get("https://shop.package/new.js").status == 404)
        #expect(try page.version(of: PackageID("shop")) == SemanticVersion("1.0.0"))
        let next = PageSession(catalog)
        #expect(try next.get("https://shop.package/").body == "<h1>two</h1>")
        #expect(try next.get("https://shop.package/app.js").status == 404)
        #expect(page.report.versions == ["shop": "1.0.0"])
    }

    @Test func `a package that was absent at the first request stays absent for the page`() throws {
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: ["https://cdn.example/late/1.0.0/"]) }
        let page = PageSession(catalog)
        #expect(try page.get("https://late.package/a?b=1").online == "https://cdn.example/late/1.0.0/a?b=1")
        catalog.install(try store.content("late", "1.0.0", ["index.html": "late", "a": "a"]))
        #expect(try page.get("https://late.package/").online == "https://cdn.example/late/1.0.0/")
        #expect(try PageSession(catalog).get("https://late.package/").body == "late")
    }

    @Test func `a version is let go once, at the page's close or end`() throws {
        let closes = Counter()
        var content = try store.content("shop", "1.0.0", ["index.html": "x"])
        content.onClose = { closes.increment() }
        catalog.install(content)
        let page = PageSession(catalog)
        _ = try page.get("https://shop.package/")
        _ = try page.get("https://shop.package/")
        #expect(catalog.openCount == 1)
        page.close()
        page.close()
        #expect(closes.value == 1)
        #expect(try page.get("https://shop.package/").status == 503)
        do {
            let other = PageSession(catalog)
            _ = try other.get("https://shop.package/")
        }
        #expect(closes.value == 2)
    }

    @Test func `many first requests at once pin one version`() async throws {
        let catalog = catalog
        let store = store
        for _ in 0..<20 {
            let page = PageSession(catalog)
            let versions = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        catalog.install(try store.content("shop", "1.0.\(number)", ["index.html": "\(number)"]))
                        return try page.get("https://shop.package/").body
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(versions.count == 1)
        }
    }

    @Test func `nothing of ours that cannot be answered goes out`() throws {
        let page = PageSession(catalog)
        for url in [
            "https://shop.package/../x", "https://shop.package/%2e%2e/x", "https://shop.package/a%00",
            "https://shop.package//x", "https://shop.package/a%5Cb", "https://a.shop.package/",
            "https://unknown.package/", "http://shop.package/", "h5pack://unknown/", "https://shop.package/nothing",
        ] {
            let answer = try page.get(url)
            #expect(answer.status == 404, "\(url)")
            #expect(answer.online == nil, "\(url)")
        }
    }

    @Test func `a method that writes is never answered from the device`() throws {
        let page = PageSession(catalog)
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "get"] {
            let virtual = try page.get("https://shop.package/index.html", method: method)
            #expect(virtual.status == 405)
            #expect(virtual.headers["allow"] == "GET, HEAD")
            let origin = try page.get("https://m.example.com/shop/index.html", method: method)
            #expect(origin.online == "https://m.example.com/shop/index.html")
        }
    }

    @Test func `below a real origin an unknown path is the server's`() throws {
        let page = PageSession(catalog)
        let url = "https://m.example.com/shop/api/orders?page=2"
        #expect(try page.get(url).online == url)
        #expect(try page.get("https://other.example/x").online == "https://other.example/x")
        #expect(page.handles(url))
        #expect(!page.handles("https://other.example/x"))
        #expect(page.handles("https://unknown.package/"))
    }

    @Test func `a package that is switched off is loaded online from the next page on`() throws {
        let shop = try PackageID("shop")
        let open = PageSession(catalog)
        catalog.change {
            $0.packages[shop]?.isEnabled = false
            $0.packages[shop]?.origins = ["https://cdn.example/site/shop/1.0.0/"]
        }
        #expect(try open.get("https://shop.package/").status == 200)
        let next = PageSession(catalog)
        #expect(try next.get("https://shop.package/a.js").online == "https://cdn.example/site/shop/1.0.0/a.js")
        #expect(try next.get("https://m.example.com/shop/").online == "https://m.example.com/shop/")
        #expect(try next.get("https://shop.package/").reason == .gate)
        catalog.change {
            $0.packages[shop]?.origins = []
        }
        #expect(try PageSession(catalog).get("https://shop.package/").status == 503)
    }

    @Test func `a damaged file is fetched online, and is an error where there is no online copy`() throws {
        let shop = try PackageID("shop")
        let file = store.file(for: Digest(of: Array("let a = 'one'".utf8)))
        try Data("short".utf8).write(to: file)
        #expect(
            try PageSession(catalog).get("https://shop.package/app.js").online == "https://m.example.com/shop/app.js")
        catalog.change { $0.packages[shop]?.origins = ["https://cdn.example/"] }
        let answer = try PageSession(catalog).get("https://shop.package/app.js")
        #expect(answer.online == "https://cdn.example/app.js")
        #expect(answer.reason == .damaged)
        catalog.change { $0.packages[shop] = WebSettings.Package() }
        try FileManager.default.removeItem(at: file)
        let missing = try PageSession(catalog).get("https://shop.package/app.js")
        #expect(missing.status == 500)
        #expect(!missing.body.contains(store.folder.path))
    }

    @Test func `the report says how each request was answered, and how long it took`() throws {
        let clock = ManualClock()
        let page = PageSession(catalog) { clock.now }
        let answer = page.answer(SiteRequest(url: "https://shop.package/app.js"))
        clock.advance(by: .milliseconds(5))
        page.finished(answer.number, byteCount: 13)
        page.finished(answer.number, byteCount: 99)
        let online = page.answer(SiteRequest(method: "POST", url: "https://api.example/x"))
        page.finished(online.number, status: 201, byteCount: 2)
        _ = page.answer(SiteRequest(url: "https://shop.package/nothing"))
        let entries = page.report.entries
        #expect(entries.map(\.outcome) == [.local, .online, .missed])
        #expect(entries.map(\.reason) == [.installed, .foreign, .notInVersion])
        #expect(entries.map(\.status) == [200, 201, 404])
        #expect(entries.map(\.byteCount) == [13, 2, nil])
        #expect(entries.map(\.milliseconds) == [5, 0, nil])
        #expect(entries[0].detail == "app.js")
        let copy = try JSONDecoder().decode(PageReport.self, from: JSONEncoder().encode(page.report))
        #expect(copy == page.report)
    }

    @Test func `the report is bounded`() throws {
        let page = PageSession(catalog)
        for _ in 0..<(PageReport.maximumEntryCount + 7) { _ = try page.get("https://other.example/") }
        #expect(page.report.entries.count == PageReport.maximumEntryCount)
        #expect(page.report.droppedCount == 7)
    }

    @Test func `no URL, however it is made, is answered with a file outside of the version's list`() throws {
        let secret = store.folder.appendingPathComponent("secret.txt")
        try Data("secret".utf8).write(to: secret)
        let page = PageSession(catalog)
        let allowed = Set(["<h1>one</h1>", "let a = 'one'", "0123456789", ""])
        let starts = ["https://shop.package", "h5pack://shop", "https://m.example.com/shop", "https://a.shop.package"]
        let pieces = [
            "/", "..", "%2e%2e", "%2F", "\\", "%5c", "%00", "secret.txt", "app.js", "index", ".html", "@", ":", "?",
            "#", "//", store.folder.path, "file://", "%", "%C0%AE", "~", "é", "e\u{301}", " ",
        ]
        for _ in 0..<5_000 {
            let tail = (0..<Int.random(in: 0...7)).compactMap { _ in pieces.randomElement() }.joined()
            let url = (starts.randomElement() ?? "") + tail
            let answer = try page.get(url)
            if answer.status == 200 { #expect(allowed.contains(answer.body), "\(url)") }
        }
    }
}

/// A clock that a test moves.
final class ManualClock: @unchecked Sendable {
    private let lock = NSLock()
    private var instant = ContinuousClock.now

    var now: ContinuousClock.Instant { lock.withLock { instant } }
    func advance(by duration: Duration) { lock.withLock { instant += duration } }
}

final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }
    func increment() { lock.withLock { count += 1 } }
}
