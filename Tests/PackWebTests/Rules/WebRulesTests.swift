import Foundation
import PackFormat
import Testing

@testable import PackWeb

struct WebRulesTests {
    private func rules(_ text: String) throws -> WebRules { try WebRules(parsing: Data(text.utf8)) }

    @Test func `the first rule whose conditions all hold decides`() throws {
        let rules = try rules(
            """
            {"format": 1, "rules": [
              {"name": "keep", "action": "local", "host": "shop.package", "path": "/video/intro.*"},
              {"name": "films", "action": "online", "types": ["video/*"], "minimumSize": 5},
              {"name": "ads", "action": "deny", "host": "*.ads.example"}]}
            """)
        let film = (type: MediaType("video/mp4"), size: 10)
        #expect(rules.rule(host: "shop.package", path: "/video/intro.mp4", file: film)?.name == "keep")
        #expect(rules.rule(host: "shop.package", path: "/video/b.mp4", file: film)?.name == "films")
        #expect(rules.rule(host: "shop.package", path: "/b", file: (type: MediaType("video/mp4"), size: 4)) == nil)
        #expect(rules.rule(host: "shop.package", path: "/b", file: nil) == nil)
        #expect(rules.rule(host: "x.ads.example", path: "/", file: nil)?.name == "ads")
        #expect(rules.rule(host: "ads.example", path: "/", file: nil) == nil)
        #expect(rules.rule(host: "badads.example", path: "/", file: nil) == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"format": 2, "rules": []}"#, #"{"format": 1, "rules": [], "more": 1}"#,
        #"{"format": 1, "rules": [{"name": "a", "action": "explode"}]}"#,
        #"{"format": 1, "rules": [{"name": "a", "action": "deny", "hots": "x"}]}"#,
        #"{"format": 1, "rules": [{"action": "deny"}]}"#,
    ])
    func `a document that is not understood is refused as a whole`(text: String) {
        #expect(throws: WebError.self) { try rules(text) }
    }

    @Test(arguments: [
        ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "ac", true), ("a*c", "ab", false),
        ("", "", true), ("", "a", false), ("**a", "ba", true), ("a*b*c", "a1b2b3c", true), ("a*b*c", "a1c2b", false),
        ("/x/*", "/x/", true), ("/x/*", "/y/x/", false), ("?", "a", false),
    ])
    func `a star stands for any characters`(pattern: String, text: String, expected: Bool) {
        #expect(Glob(pattern).matches(text) == expected)
    }

    @Test func `rules send a package's files online and deny what is foreign`() throws {
        let store = try TestStore()
        let catalog = TestCatalog(try store.content("shop", "1.0.0", ["index.html": "<p>", "a.mp4": "0123456789"]))
        catalog.change {
            $0.rules = WebRules([
                WebRules.Rule(name: "films", action: .online, types: ["video/*"]),
                WebRules.Rule(name: "ads", action: .deny, host: "*.ads.example"),
                WebRules.Rule(name: "private", action: .deny, host: "shop.package", path: "/private/*"),
            ])
            for id in $0.packages.keys { $0.packages[id]?.onlineCopy = "https://cdn.example/1/" }
        }
        let page = PageSession(catalog)
        let film = try page.get("https://shop.package/a.mp4")
        #expect(film.online == "https://cdn.example/1/a.mp4")
        #expect(film.reason == .rule)
        #expect(page.report.entries.last?.detail == "films")
        #expect(try page.get("https://x.ads.example/").status == 403)
        #expect(try page.get("https://shop.package/private/x").status == 403)
        #expect(try page.get("https://shop.package/").status == 200)
    }
}
