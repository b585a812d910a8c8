import PackFormat
import PackWeb
import Testing

struct ViewPagesTests {
    private let store: TestStore
    private let catalog: TestCatalog
    private let pages: ViewPages
    private let site = "h5pack://shop/"

    init() throws {
        store = try TestStore()
        catalog = TestCatalog(try store.content("shop", "1.0.0", ["index.html": "one", "list.html": "list one"]))
        pages = ViewPages(catalog)
    }

    private func get(_ path: String) throws -> String {
        let request = SiteRequest(url: site + path)
        return try Answered(pages.page(for: request).answer(request)).body
    }

    private func update() throws {
        catalog.install(try store.content("shop", "2.0.0", ["index.html": "two", "list.html": "list two"]))
    }

    private func show(_ path: String) throws {
        pages.start(site + path)
        _ = try get(path)
        pages.commit(site + path)
    }

    @Test func `the old page asks for its own version until the new one has replaced it`() throws {
        try show("")
        try update()
        pages.start(site + "list.html")
        #expect(try get("") == "one")
        #expect(try get("list.html") == "list two")
        pages.commit(site + "list.html")
        #expect(try get("") == "two")
    }

    @Test(arguments: [true, false])
    func `a load that has ended without a page leaves the page on view what it had`(isAsked: Bool) throws {
        try show("")
        try update()
        pages.start(site + "list.html#top")
        if isAsked { #expect(try get("list.html") == "list two") }
        pages.stop(site + "list.html#top")
        #expect(try get("list.html") == "list one")
        #expect(pages.lastReport?.versions == ["shop": "1.0.0"])
    }

    @Test func `the end of a load that a newer one has replaced is not the end of the newer one`() throws {
        try show("")
        try update()
        pages.start(site + "other.html")
        pages.start(site + "list.html")
        pages.stop(site + "other.html")
        #expect(try get("list.html") == "list two")
        pages.commit(site + "list.html")
        #expect(try get("") == "two")
    }
}
