import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackWeb

@testable import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What every host gives a view's pages, put together.
struct PageServicesTests {
    private let store: TestStore
    private let catalog: TestCatalog
    private let shop: PackageID
    private let confirmed = Locked<[String]>([])

    init() throws {
        store = try TestStore()
        catalog = TestCatalog(
            try store.content("shop", "1.0.0", ["index.html": "home"]),
            try store.content("cart", "1.0.0", ["index.html": "c"]))
        shop = try PackageID("shop")
    }

    private func services(
        _ transport: PageServices.Transport, _ change: (inout PageServices.Configuration) -> Void = { _ in }
    ) throws -> PageServices {
        var configuration = PageServices.Configuration(transport)
        change(&configuration)
        return try PageServices(catalog, configuration) { [confirmed] sender, load in
            confirmed.withLock { $0.append("\(sender.origin) \(load.package) \(load.version) \(load.token)") }
        }
    }

    /// What the pages of all packages find below `/api/`.
    private func route(to server: EchoServer) throws {
        let api = try APIRoutes(["/api/": "\(server.address)/"])
        catalog.change { $0.rules = WebRules([], api: api) }
    }

    /// What a page sees of the hook's configuration.
    private func settings(_ hook: PageHook) throws -> [String: Any] {
        let start = try #require(hook.script.range(of: ")({", options: .backwards)).upperBound
        let text = "{" + String(hook.script[start...].dropLast(3))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test
    func `under a scheme the hook has the packages' names, its cookies and forms; behind a proxy the engine's own`()
        throws
    {
        let scheme = try services(.scheme("h5pack"))
        defer { scheme.close() }
        let load = PageHook.Load(package: "shop", version: "1.0.0", token: "t")
        let own = try settings(scheme.hook(of: shop, load: load))
        #expect(own["strategy"] as? String == "bodies")
        #expect(own["hosts"] as? [String] == ["cart", "shop"] && own["formHosts"] as? [String] == ["cart", "shop"])
        #expect(own["schemes"] as? [String] == ["h5pack"])
        #expect(own["cookies"] as? Bool == true && own["forms"] as? Bool == true)
        #expect((own["load"] as? [String: String])?["token"] == "t")
        #expect(scheme.origin(of: shop) == "h5pack://shop")

        let proxy = try services(.proxy) { $0.hook = .full }
        defer { proxy.close() }
        let other = try settings(proxy.hook(of: shop, load: nil))
        #expect(other["strategy"] as? String == "full")
        #expect(other["hosts"] == nil)
        #expect(other["formHosts"] as? [String] == ["cart.package", "shop.package"])
        #expect(other["cookies"] as? Bool == false && other["forms"] as? Bool == false)
        #expect(other["load"] == nil)
        #expect(proxy.origin(of: shop) == "https://shop.package")
    }

    @Test func `the hook is switched for the next page, but never to what a proxy would lose`() throws {
        let scheme = try services(.scheme("h5pack"))
        defer { scheme.close() }
        let before = scheme.hook(of: shop, load: nil)
        try scheme.setHookStrategy(.full)
        #expect(before.strategy == .bodies)
        #expect(scheme.hook(of: shop, load: nil).strategy == .full)
        #expect(scheme.hook(of: shop, load: nil).hosts == nil)
        try scheme.setHookStrategy(.off)
        #expect(scheme.hook(of: shop, load: nil).strategy == .off)

        let proxy = try services(.proxy)
        defer { proxy.close() }
        #expect(proxy.hookStrategy == .off)
        #expect(throws: WebError.hookNeedsScheme) { try proxy.setHookStrategy(.bodies) }
        #expect(proxy.hookStrategy == .off)
        try proxy.setHookStrategy(.full)
        #expect(proxy.hookStrategy == .full)
        #expect(throws: WebError.hookNeedsScheme) { try services(.proxy) { $0.hook = .bodies } }
    }

    @Test func `only the packages' own frames are heard, and the host judges a confirmation`() async throws {
        let services = try services(.scheme("h5pack"))
        defer { services.close() }
        var page = HookPage()
        let confirm = #"{"v":1,"type":"confirm","package":"shop","version":"1.0.0","token":"t"}"#
        for origin in [
            "https://shop.package", "h5pack://other", "https://evil.test", "h5pack://shop.evil.test", "null",
        ] {
            page.origin = origin
            #expect(await page.code(services.bridge, confirm) == "origin", "\(origin)")
        }
        #expect(confirmed.withLock { $0 } == [])
        page.origin = "h5pack://shop"
        #expect(await page.send(services.bridge, confirm) == "{}")
        #expect(confirmed.withLock { $0 } == ["h5pack://shop shop 1.0.0 t"])
        // A package that came later is one of them.
        page.origin = "h5pack://other"
        catalog.install(try store.content("other", "1.0.0", ["index.html": "o"]))
        #expect(await page.send(services.bridge, confirm) == "{}")
    }

    @Test func `a body that a page hands over is what its scheme's request sends, with the app's cookies`() async throws
    {
        let server = try EchoServer()
        let services = try services(.scheme("h5pack"))
        defer { services.close() }
        try route(to: server)
        let driver = services.schemeDriver { .inPlace }
        var page = HookPage()
        page.origin = "h5pack://shop"
        // The page is there first, as in a view.
        let document = TrappingSchemeTask()
        services.pages.start("h5pack://shop/")
        var request = URLRequest(url: try #require(URL(string: "h5pack://shop/")))
        request.setValue("text/html", forHTTPHeaderField: "Accept")
        driver.start(document, request: request)
        #expect(await eventually { document.hasEnded })
        #expect(services.pages.takeDocument(of: "h5pack://shop/", key: nil) != nil)
        let history = ViewHistory(places: [1], current: 1)
        services.pages.commit("h5pack://shop/", history: history, isRestored: false, isReload: false)
        #expect(await page.send(services.bridge, #"{"v":1,"type":"setCookie","cookie":"a=1; Path=/"}"#) == "{}")
        #expect(await page.send(services.bridge, page.body(page.id(1), Data("handed over".utf8))) == "{}")
        var post = URLRequest(
            url: try #require(URL(string: "h5pack://shop/api/echo?packtool-body=\(page.id(1))")))
        post.httpMethod = "POST"
        post.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let task = TrappingSchemeTask()
        driver.start(task, request: post)
        #expect(await eventually { task.hasEnded })
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: task.data)
        #expect(said.body == Data("handed over".utf8).map { String(format: "%02x", $0) }.joined())
        #expect(said.path == "/echo")
        #expect(said.headers["cookie"] == "a=1")
        #expect(services.bodies.count == 0)
        // And back: what the server sets is the script's.
        let set = TrappingSchemeTask()
        driver.start(
            set,
            request: URLRequest(url: try #require(URL(string: "h5pack://shop/api/cookies?set=b%3D2%3B%20Path%3D/"))))
        #expect(await eventually { set.hasEnded })
        let reply = await page.send(services.bridge, #"{"v":1,"type":"cookies"}"#)
        #expect(reply.contains("a=1") && reply.contains("b=2"), "\(reply)")
        #expect(services.pages.lastReport?.entries.contains { $0.url.hasSuffix("/api/echo") } == true)
    }

    @Test func `the app's answers, its last word and its password are those of the pages' requests`() async throws {
        let server = try EchoServer()
        let ended = Locked<[Int?]>([])
        let services = try services(.scheme("h5pack")) { configuration in
            configuration.native = NativeAnswers { request in
                request.url?.path == "/stub" ? NativeAnswer(status: 207, body: Data("stub".utf8)) : nil
            }
            configuration.prepare = { request in request.url?.path == "/refused" ? nil : request }
            configuration.ended = { exchange in ended.withLock { $0.append(exchange.status) } }
            configuration.challenged = { _ in
                (.useCredential, URLCredential(user: "ann", password: "open", persistence: .none))
            }
        }
        defer { services.close() }
        try route(to: server)
        let driver = services.schemeDriver { .inPlace }
        let cases: [(String, Int?)] = [("stub", 207), ("refused", nil), ("secret", 200), ("echo", 200)]
        for (number, (path, status)) in cases.enumerated() {
            let task = TrappingSchemeTask()
            driver.start(task, request: URLRequest(url: try #require(URL(string: "h5pack://shop/api/\(path)"))))
            #expect(await eventually { task.hasEnded }, "\(path)")
            #expect(task.head?.status == status, "\(path)")
            // The end is told a moment after the answer.
            #expect(await eventually { ended.withLock { $0.count } == number + 1 })
        }
        #expect(ended.withLock { $0 } == [207, nil, 200, 200])
    }

    @Test func `the last page of a package is opened again, and no other address`() throws {
        let services = try services(.scheme("h5pack"))
        defer { services.close() }
        #expect(services.lastPage == nil)
        services.didShow("h5pack://shop/orders?a=1#b")
        for foreign in [
            "https://login.test/", "h5pack://unknown/", "about:blank", "h5pack://shop.evil/", "h5pack://shop",
        ] {
            services.didShow(foreign)
            #expect(services.lastPage == "h5pack://shop/orders?a=1#b", "\(foreign)")
        }
        #expect(services.address(of: shop, restoring: services.lastPage) == "h5pack://shop/orders?a=1#b")
        #expect(services.address(of: shop) == "h5pack://shop/")
        #expect(services.address(of: shop, path: "orders") == "h5pack://shop/orders")
        for kept in ["h5pack://cart/", "https://shop.package/", "https://shop.evil.test/", "", "h5pack://shopper/"] {
            #expect(services.address(of: shop, path: "/a", restoring: kept) == "h5pack://shop/a", "\(kept)")
        }
    }
}
