import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackWeb

@testable import PackWebOnline

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
        #expect(throws: FormatError.self) { try rules(text) }
    }

    @Test(arguments: [
        ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "ac", true), ("a*c", "ab", false),
        ("", "", true), ("", "a", false), ("**a", "ba", true), ("a*b*c", "a1b2b3c", true), ("a*b*c", "a1c2b", false),
        ("/x/*", "/x/", true), ("/x/*", "/y/x/", false), ("?", "a", false),
    ])
    func `a star stands for any characters`(pattern: String, text: String, expected: Bool) {
        #expect(RuleGlob(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        ("/admin/x.js", 403), ("/%61dmin/x.js", 403), ("/admin/%78.js", 403), ("/a", 403), ("/a.html", 403),
        ("/%61", 403), ("/folder", 403), ("/folder/", 403), ("/b", 200), ("/open", 200), ("/folder/c", 200),
    ])
    func `a file that is denied is denied under each of its addresses`(path: String, status: Int) throws {
        let store = try TestStore()
        let names = ["index.html", "admin/x.js", "a.html", "b.html", "open.html", "folder/index.html", "folder/c.html"]
        let origin = "https://m.example.com/shop/"
        let catalog = TestCatalog(
            try store.content(
                "shop", "1.0.0", origins: [origin], Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })))
        catalog.change {
            $0.rules = WebRules([
                WebRules.Rule(name: "open", action: .local, path: "*/open*"),
                WebRules.Rule(name: "admin", action: .deny, path: "*/admin/*"),
                WebRules.Rule(name: "a", action: .deny, path: "*/a.html"),
                WebRules.Rule(name: "folder", action: .deny, path: "*/folder/index.html"),
            ])
        }
        let page = PageSession(catalog)
        #expect(try page.get("https://shop.package\(path)").status == status)
        #expect(try page.get(origin.dropLast() + path).status == status)
        // Asked before the page has started, a denial is as sure.
        #expect(page.mayTake(SiteRequest(method: "POST", url: origin.dropLast() + path)) == (status == 403))
    }

    @Test(arguments: [
        "/private/x", "/%70rivate/x", "/%50rivate/x", "/privat%65/x", "/private/%78", "/private/%FF", "/with%20blank/x",
        "/gr%C3%B6%C3%9Fe/x", "/gr%c3%b6%c3%9fe/x", "/private%2Fx", "/private%2fx", "/half%2Fopen/x",
    ])
    func `a path that is denied goes online in no way of writing it`(path: String) throws {
        let store = try TestStore()
        let origin = "https://m.example.com/shop/"
        let catalog = TestCatalog(try store.content("shop", "1.0.0", origins: [origin], ["index.html": "<p>"]))
        catalog.change {
            $0.rules = WebRules([
                WebRules.Rule(name: "private", action: .deny, path: "/private/*"),
                WebRules.Rule(name: "capital", action: .deny, path: "/Private/*"),
                WebRules.Rule(name: "blank", action: .deny, path: "/with blank/*"),
                WebRules.Rule(name: "letters", action: .deny, path: "/gr\u{F6}\u{DF}e/*"),
                WebRules.Rule(name: "slash", action: .deny, path: "/half%2fopen/*"),
            ])
        }
        let page = PageSession(catalog)
        for prefix in ["https://m.example.com/shop", "https://m.example.com/%73hop", "https://other.example"] {
            for method in ["GET", "POST"] {
                let request = SiteRequest(method: method, url: prefix + path)
                let answer = page.answer(request)
                guard case .local(let response) = answer.way else {
                    Issue.record("\(method) \(prefix + path) went online")
                    continue
                }
                #expect(response.status == 403 && answer.reason == .rule)
                #expect(page.mayTake(request))
            }
        }
        // With a web site behind it, a package that is not installed hands on what is sound.
        try catalog.change {
            $0.packages = [:]
            $0.packages[try PackageID("gone")] = WebSettings.Package(origins: ["https://cdn.example/1/"])
        }
        guard case .local = PageSession(catalog).answer(SiteRequest(url: "https://gone.package" + path)).way else {
            Issue.record("\(path) went to the web site")
            return
        }
    }

    @Test(arguments: [
        ("/private", "/privat"), ("/open/x", "/open/%78"), ("/priv%61teer/x", "/privateer/%78"),
        ("/50%25/x", "/50%25/x"),
        ("/star*/x", "/starry/x"),
    ])
    func `what no rule denies goes online, and an exception holds however it is written`(path: String, other: String)
        throws
    {
        let catalog = TestCatalog()
        catalog.change {
            $0.rules = WebRules([
                WebRules.Rule(name: "exception", action: .local, path: "/%70rivate/open/*"),
                WebRules.Rule(name: "private", action: .deny, path: "/private/*"),
                WebRules.Rule(name: "star", action: .deny, path: "/star%2A%2A/*"),
            ])
        }
        let page = PageSession(catalog)
        for path in [path, other, "/private/open/x", "/privat%65/open/x"] {
            let url = "https://m.example.com" + path
            #expect(page.answer(SiteRequest(url: url)).way == .online(url))
        }
        for path in ["/private/shut/x", "/star**/x", "/star%2A*/x"] {
            #expect(try page.get("https://m.example.com" + path).status == 403)
        }
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
            for id in $0.packages.keys { $0.packages[id]?.origins = ["https://cdn.example/1/"] }
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
