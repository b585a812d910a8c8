import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

struct PageDirectoryTests {
    private let store: TestStore
    private let catalog: TestCatalog
    private let pages: PageDirectory
    private let site = "https://shop.package/"

    init() throws {
        store = try TestStore()
        catalog = TestCatalog(
            try store.content("shop", "1.0.0", ["index.html": "one", "app.js": "1", "chunk-1.js": "c1", "a.css": "1"]))
        pages = PageDirectory(catalog, maximumPageCount: 3)
    }

    private func get(_ path: String, dest: String, referer: String? = nil) throws -> String {
        var headers = ["Sec-Fetch-Dest": dest]
        headers["Referer"] = referer.map { site + $0 }
        let request = SiteRequest(url: site + path, headers: headers)
        return try Answered(pages.page(for: request).answer(request)).body
    }

    private func update() throws {
        catalog.install(
            try store.content(
                "shop", "2.0.0", ["index.html": "two", "app.js": "2", "chunk-2.js": "c2", "a.css": "2"]))
    }

    @Test func `an open page's parts come from its version, at any depth`() throws {
        #expect(try get("", dest: "document") == "one")
        #expect(try get("app.js", dest: "script", referer: "") == "1")
        try update()
        #expect(try get("a.css", dest: "style", referer: "") == "1")
        #expect(try get("chunk-1.js", dest: "script", referer: "app.js") == "c1")
        #expect(try get("", dest: "document", referer: "") == "two")
        #expect(try get("app.js", dest: "script", referer: "") == "2")
    }

    @Test func `two pages under one address are told apart by what they have`() throws {
        #expect(try get("", dest: "document") == "one")
        #expect(try get("app.js", dest: "script", referer: "") == "1")
        try update()
        #expect(try get("", dest: "document") == "two")
        #expect(try get("app.js", dest: "script", referer: "") == "2")
        #expect(try get("chunk-1.js", dest: "script", referer: "app.js") == "c1")
        #expect(try get("chunk-2.js", dest: "script", referer: "app.js") == "c2")
    }

    @Test
    func
        `a channel's rules and gate hold for the page that began with them, whatever an older page of its address has`()
        throws
    {
        func status(_ path: String) throws -> Int {
            let headers = ["Sec-Fetch-Dest": "empty", "Referer": site]
            let request = SiteRequest(url: site + path, headers: headers)
            return try Answered(pages.page(for: request).answer(request)).status
        }
        #expect(try get("", dest: "document") == "one")
        #expect(try status("app.js") == 200)
        catalog.change { $0.rules = WebRules([WebRules.Rule(name: "no script", action: .deny, path: "/app.js")]) }
        #expect(try status("app.js") == 200, "the page on view keeps the rules that it began with")
        #expect(try get("", dest: "document") == "one")
        #expect(try status("app.js") == 403)
        #expect(try status("a.css") == 200)
        catalog.change { $0.rules = WebRules() }
        #expect(try get("", dest: "document") == "one")
        #expect(try status("app.js") == 200)
        try catalog.change { $0.packages[try PackageID("shop")]?.isEnabled = false }
        _ = try get("", dest: "document")
        #expect(try status("app.js") == 503)
    }

    @Test func `a program that names no page gets the newest version`() throws {
        _ = try get("", dest: "document")
        try update()
        let request = SiteRequest(url: site, headers: ["Accept": "*/*"])
        #expect(try Answered(pages.page(for: request).answer(request)).body == "two")
    }

    /// An engine asks often, and an open is a start of an unconfirmed version.
    @Test func `whether a request is ours is said without opening a version`() throws {
        catalog.install(try store.content("wide", origins: ["https://m.example.com/wide/"], ["index.html": "x"]))
        func takes(_ url: String, _ method: String = "GET") -> Bool {
            pages.takes(SiteRequest(method: method, url: url, headers: ["Sec-Fetch-Dest": "document"]))
        }
        #expect(takes(site) && takes("https://m.example.com/wide/") && takes("https://none.package/"))
        #expect(!takes("https://m.example.com/other/") && !takes("https://m.example.com/wide/api", "POST"))
        #expect(catalog.openCount == 0)
        try catalog.change { $0.packages[try PackageID("wide")]?.isEnabled = false }
        #expect(!takes("https://m.example.com/wide/"))
        #expect(catalog.openCount == 0)
    }

    @Test func `of more pages than are kept apart the one that asks for nothing is let go`() throws {
        _ = try get("", dest: "document")
        #expect(try get("app.js", dest: "script", referer: "") == "1")
        try update()
        for number in 0..<4 {
            _ = try get("?\(number)", dest: "document")
            // The first page is still in use: it names itself by a script that only it has.
            #expect(try get("chunk-1.js", dest: "script", referer: "app.js") == "c1")
        }
    }

    @Test func `the oldest page is let go beyond the bound`() throws {
        let closes = Counter()
        var content = try store.content("shop", "1.0.0", ["index.html": "one"])
        content.onClose = { closes.increment() }
        catalog.install(content)
        for _ in 0..<5 { _ = try get("", dest: "document") }
        #expect(closes.value == 2)
        pages.forgetPages()
        #expect(closes.value == 5)
    }

    @Test func `what a service worker in use asks for is not taken for an old page's, however many others there are`()
        throws
    {
        #expect(try get("", dest: "document") == "one")
        catalog.install(
            try store.content(
                "shop", "2.0.0", serviceWorker: true, ["index.html": "two", "sw.js": "worker", "chunk-2.js": "c2"]))
        #expect(try get("sw.js", dest: "serviceworker", referer: "") == "worker")
        for number in 0..<200 {
            _ = try get("other-\(number).js", dest: "serviceworker")
            // Only the worker's version has it; the page on view is an older one's.
            #expect(try get("chunk-2.js", dest: "script", referer: "sw.js") == "c2")
        }
    }

    @Test func `of two pages of one address the one on view is asked, whichever has come back`() throws {
        _ = try get("", dest: "document")
        #expect(pages.commit(site, history: .init(places: [1], current: 1), isRestored: false) != nil)
        try update()
        _ = try get("", dest: "document", referer: "")
        pages.commit(site, history: .init(places: [1, 2], current: 2), isRestored: false)
        for (place, file) in [(2, "2"), (1, "1"), (2, "2"), (1, "1")] {
            let page = pages.commit(site, history: .init(places: [1, 2], current: place), isRestored: true)
            #expect(page?.versions == ["shop": "\(file).0.0"])
            #expect(try get("app.js", dest: "script", referer: "") == file)
        }
    }
}
