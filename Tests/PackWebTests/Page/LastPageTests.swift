import Foundation
import PackWeb
import PackWebOnline
import TestSupport
import Testing

/// The last page's report as another process reads it.
struct LastPageTests {
    private let store: TestStore
    private let last: LastPage

    init() throws {
        store = try TestStore()
        last = LastPage(folder: store.folder)
    }

    private func report(of paths: String...) throws -> PageReport {
        let page = PageSession(TestCatalog(try store.content("shop", "1.0.0", ["index.html": "<p>", "a.js": "1"])))
        for path in paths {
            let answer = page.answer(SiteRequest(method: "GET", url: "https://shop.package\(path)", headers: [:]))
            page.finished(answer.number, byteCount: 3)
        }
        return page.report
    }

    @Test func `what is written is read again, whole`() throws {
        let report = try report(of: "/", "/a.js", "/missing.js?q=ü")
        let time = Date(timeIntervalSince1970: 1_700_000_000.25)
        try last.write(report, at: time)
        let record = try #require(last.read())
        #expect(record == LastPage.Record(time: time, report: report))
        #expect(record.report.entries.map(\.outcome) == [.local, .local, .missed])
        #expect(record.report.versions == ["shop": "1.0.0"])
    }

    @Test func `a later page replaces the one before and leaves nothing beside it`() throws {
        try last.write(report(of: "/", "/a.js", "/x"), at: Date(timeIntervalSince1970: 1))
        try last.write(report(of: "/"), at: Date(timeIntervalSince1970: 2))
        #expect(last.read()?.report.entries.count == 1)
        #expect(last.read()?.time == Date(timeIntervalSince1970: 2))
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
        #expect(names.filter { $0.contains("last-page") } == ["last-page.json"])
    }

    @Test(arguments: ["", "{", "[]", #"{"time":1}"#, #"{"time":"x","report":{}}"#])
    func `a file that cannot be read is no page`(text: String) throws {
        #expect(last.read() == nil)
        try Data(text.utf8).write(to: store.folder.appendingPathComponent("last-page.json"))
        #expect(last.read() == nil)
    }

    @Test func `a folder that cannot be written is an error`() throws {
        let nowhere = LastPage(folder: store.folder.appendingPathComponent("none/there"))
        #expect(throws: (any Error).self) { try nowhere.write(report(of: "/"), at: Date()) }
        #expect(nowhere.read() == nil)
    }
}
