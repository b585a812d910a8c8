import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackWeb

@testable import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A service behind a package's own path.
struct ServiceTests {
    private let server: EchoServer
    private let store: TestStore
    private let catalog: TestCatalog
    private let keeper = CookieKeeper(native: MemoryCookieStore())
    private let online: NetworkLoader

    init() throws {
        server = try EchoServer()
        store = try TestStore()
        catalog = TestCatalog(try store.content("shop", "1.0.0", ["index.html": "home"]))
        online = NetworkLoader(cookies: keeper)
        let api = try APIRoutes(["/api/": "\(server.address)/"])
        catalog.change { $0.rules = WebRules([], api: api) }
    }

    private func load(_ address: String, method: String = "GET", headers: [String: String] = [:]) async throws -> String
    {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let answer = try await ResourceLoad.load(request, on: PageSession(catalog), online: online, at: .inPlace)
        return String(decoding: answer.data, as: UTF8.self)
    }

    @Test(arguments: ["https://shop.package", "h5pack://shop"])
    func `the page's cookies reach the service, and the service's are the page's`(origin: String) async throws {
        let page = try #require(URL(string: origin + "/"))
        keeper.setScriptCookie("csrf=1; Path=/", at: page)
        #expect(
            try await load("\(origin)/api/cookies?set=seen%3D1%3B%20Path%3D/%7Chidden%3D1%3B%20HttpOnly%3B%20Path%3D/")
                == "csrf=1")
        #expect(keeper.scriptCookies(at: page) == "csrf=1; seen=1")
        #expect(try await load("\(origin)/api/cookies") == "csrf=1; seen=1; hidden=1")
        // Another site's page gets none of them there.
        let foreign = ["Referer": "https://evil.test/", "Accept": "*/*"]
        #expect(try await load("\(origin)/api/cookies", headers: foreign) == "")
    }

    @Test func `the service sees its own origin where the page would be named`() async throws {
        let text = try await load(
            "https://shop.package/api/x", method: "DELETE", headers: ["Origin": "https://shop.package"])
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: Data(text.utf8))
        #expect(said.method == "DELETE" && said.path == "/x")
        #expect(said.headers["origin"] == server.address)
    }

    @Test func `a redirect to the page's own address leads to the device`() async throws {
        let api = try APIRoutes(["/redirect/": "\(server.address)/redirect/"])
        catalog.change { $0.rules = WebRules([], api: api) }
        #expect(try await load("https://shop.package/redirect/redirect?to=/") == "home")
    }

    @Test(arguments: ["https://shop.package", "h5pack://shop"])
    func `full hand-over follows a service's relative redirect at the page's address`(origin: String) async throws {
        var page = HookPage()
        page.origin = origin
        let bridge = HookPage.bridge(online: online, catalog: catalog)
        let message = page.request(page.id(1), "\(origin)/api/deep/redirect?to=bytes%3Fn=3")
        #expect(await page.code(bridge, message) == "")
        let heard = try await page.events(bridge, page.id(1))
        #expect(heard.error == nil && heard.response?.status == 200)
        #expect(heard.response?.url == "\(origin)/api/deep/bytes?n=3" && heard.response?.redirected == true)
        #expect(heard.data == Data([0, 31, 62]))
    }

    @Test func `full hand-over is led to a scheme's page by no other server`() async throws {
        var page = HookPage()
        page.origin = "h5pack://shop"
        let bridge = HookPage.bridge(online: online, catalog: catalog)
        let message = page.request(page.id(1), "\(server.address)/redirect?to=h5pack://shop/index.html")
        #expect(await page.code(bridge, message) == "")
        let heard = try await page.events(bridge, page.id(1))
        #expect(heard.response?.status != 200 && heard.data != Data("home".utf8))
    }

    @Test func `a service's redirect leads to no other service on the device but those that the app allows`()
        async throws
    {
        let other = try EchoServer()
        let request = URLRequest(
            url: try #require(URL(string: "https://shop.package/api/redirect?status=307&to=\(other.address)/bytes?n=3"))
        )
        func load() async throws -> (status: Int, data: Data) {
            try await ResourceLoad.load(request, on: PageSession(catalog), online: online, at: .inPlace)
        }
        // The page's engine gets the redirect itself, and has rules of its own.
        #expect(try await load().status == 307)
        catalog.change { $0.loopbackServices = [String(other.address.dropFirst("http://".count))] }
        let answer = try await load()
        #expect(answer.status == 200 && answer.data.count == 3)
    }

    @Test(arguments: [
        ("https://api.test/", "https://b.test/", true), ("https://api.test/", "http://b.test/", false),
        ("http://api.test/", "http://b.test/", true), ("https://api.test/", "https://127.0.0.1/", false),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1/x", true), ("http://127.0.0.1:1/", "http://127.0.0.1:2/", false),
        ("https://api.test/", "https://127.1/", false), ("https://api.test/", "https://localhost./", false),
        ("https://api.test/", "http://127.0.0.1:9/", true),
    ])
    func `where a service's redirect may lead`(from: String, to: String, isAllowed: Bool) throws {
        catalog.change { $0.loopbackServices = ["127.0.0.1:9"] }
        #expect(PageSession(catalog).allowsHop(from: URL(string: from), to: URL(string: to)) == isAllowed)
    }

    @Test func `a signed api leads to a service on the device only where the app allows it`() throws {
        let manifest = try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: PackagePath("index.html"),
            files: store.content("shop", "1.0.0", ["index.html": "home"]).manifest.files,
            api: APIRoutes(["/printer/": "http://127.0.0.1:9100/", "/api/": "https://api.test/v1/"]))
        let catalog = TestCatalog(TestContent(manifest: manifest, store: store))
        let printer = SiteRequest(url: "https://shop.package/printer/status?a=1")
        guard case .local(let refusal) = PageSession(catalog).answer(printer).way else {
            Issue.record("the service was asked")
            return
        }
        #expect(refusal.status == 403)
        catalog.change { $0.loopbackServices = ["127.0.0.1:9100"] }
        #expect(PageSession(catalog).answer(printer).way == .online("http://127.0.0.1:9100/status?a=1"))
        let other = SiteRequest(method: "POST", url: "h5pack://shop/api/orders?open=1")
        #expect(PageSession(catalog).answer(other).way == .online("https://api.test/v1/orders?open=1"))
    }

    @Test func `an answer that says nothing of caches is asked for again`() {
        #expect(TransferHead(status: 200, headers: ["ETag": "\"e\""]).askedAgain.headers["cache-control"] == "no-cache")
        for field in ["Cache-Control", "expires", "Pragma"] {
            #expect(TransferHead(status: 200, headers: [field: "x"]).askedAgain.headers == [field: "x"])
        }
    }

    @Test(arguments: [
        ("https://shop.package", "http://printer.test/", true), ("h5pack://shop", "http://printer.test/", true),
        ("https://shop.package", "http://127.0.0.1:80/", false), ("https://shop.package", "http://[::1]/", false),
        ("https://shop.package", "https://printer.test/", false), ("http://shop.test", "http://printer.test/", false),
    ])
    func `a secure page gets no plain http from other machines`(origin: String, address: String, isMixed: Bool) throws {
        let rules = CrossOriginRules(origin: origin, mode: .cors, credentials: .omit)
        #expect((rules.mixedContentFault(try #require(URL(string: address))) != nil) == isMixed)
    }
}
