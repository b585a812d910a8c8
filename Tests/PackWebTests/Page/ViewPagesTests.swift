import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
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

    /// Shows a page at a place; the list ends there.
    private func show(_ path: String, at place: Int, of places: Set<Int>, isReload: Bool = false) throws {
        pages.start(site + path)
        _ = try get(path)
        pages.commit(site + path, history: ViewHistory(places: places, current: place), isReload: isReload)
    }

    /// The engine brings back what it has kept.
    private func goBack(_ path: String, to place: Int, of places: Set<Int>) {
        pages.start(site + path)
        pages.commit(site + path, history: ViewHistory(places: places, current: place))
    }

    @Test func `each page that comes back has its own version, of one address too`() throws {
        try show("", at: 1, of: [1])
        try show("list.html", at: 2, of: [1, 2])
        try update()
        try show("", at: 3, of: [1, 2, 3])
        #expect(try get("") == "two")
        goBack("list.html", to: 2, of: [1, 2, 3])
        #expect(try get("list.html") == "list one")
        goBack("", to: 1, of: [1, 2, 3])
        #expect(try get("") == "one")
        goBack("", to: 3, of: [1, 2, 3])
        #expect(try get("") == "two")
    }

    @Test func `a page comes back at an address that it has added itself`() throws {
        try show("", at: 1, of: [1])
        try update()
        // Before it was left: pushState twice.
        try show("list.html", at: 4, of: [1, 2, 3, 4])
        goBack("a/b", to: 3, of: [1, 2, 3, 4])
        #expect(try get("") == "one")
        goBack("list.html", to: 4, of: [1, 2, 3, 4])
        #expect(try get("") == "two")
    }

    @Test func `a place whose page was asked for anew is no longer the old page's`() throws {
        try show("", at: 1, of: [1])
        try show("list.html", at: 2, of: [1, 2])
        try update()
        // Reloaded, and then left and come back to.
        try show("list.html", at: 2, of: [1, 2])
        goBack("", to: 1, of: [1, 2])
        #expect(try get("") == "one")
        goBack("list.html", to: 2, of: [1, 2])
        #expect(try get("list.html") == "list two")
        // Asked for, as the engine has not kept it.
        try show("", at: 1, of: [1, 2])
        #expect(try get("") == "two")
        goBack("list.html", to: 2, of: [1, 2])
        goBack("", to: 1, of: [1, 2])
        #expect(try get("") == "two")
    }

    @Test func `a page that was loaded anew is at all places of the one before`() throws {
        try show("", at: 1, of: [1])
        try update()
        // pushState, reload, back within the page, a link.
        try show("", at: 2, of: [1, 2], isReload: true)
        try show("list.html", at: 3, of: [1, 3])
        goBack("", to: 1, of: [1, 3])
        #expect(try get("") == "two")
        #expect(pages.lastReport?.versions == ["shop": "2.0.0"])
    }

    @Test func `a page of the network has nothing of the packages' pages around it`() throws {
        try show("", at: 1, of: [1])
        try update()
        pages.start("https://example.com/")
        let history = ViewHistory(places: [1, 2], current: 2)
        #expect(pages.commit("https://example.com/", history: history) == nil)
        #expect(try get("") == "two")
        try show("list.html", at: 3, of: [1, 2, 3])
        pages.start("https://example.com/")
        pages.commit("https://example.com/", history: ViewHistory(places: [1, 2, 3], current: 2))
        goBack("", to: 1, of: [1, 2, 3])
        #expect(try get("") == "one")
    }

    @Test func `without a history the page before comes back, of the same address too`() throws {
        try show("")
        try update()
        try show("")
        pages.start(site)
        pages.commit(site)
        #expect(try get("") == "one")
    }
}
