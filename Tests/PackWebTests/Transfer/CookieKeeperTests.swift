import Foundation
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One set of cookies in two stores.
struct CookieKeeperTests {
    private let native = MemoryCookieStore()
    private let web = MemoryCookieStore()
    private let clock = CookieClock()
    private let page: URL

    init() throws {
        page = try #require(URL(string: "https://shop.example.com/cart/"))
    }

    private func keeper() -> CookieKeeper { CookieKeeper(native: native, web: web, now: { [clock] in clock.now }) }

    private func cookie(_ name: String, _ value: String, expires: Date? = nil, path: String = "/") -> WebCookie {
        WebCookie(name: name, value: value, domain: "shop.example.com", path: path, expires: expires)
    }

    private func expectEqualStores(_ expected: [WebCookie]) {
        #expect(Set(native.cookies()) == Set(expected))
        #expect(Set(web.cookies()) == Set(expected))
    }

    @Test
    func `scenario 1: what the web view sets, changes and deletes is carried to the app`() async {
        let keeper = keeper()
        web.set(cookie("a", "1"))
        web.set(cookie("b", "1"))
        await keeper.takeFromWebView()
        expectEqualStores([cookie("a", "1"), cookie("b", "1")])
        web.set(cookie("a", "2"))
        web.delete(cookie("b", ""))
        await keeper.takeFromWebView()
        expectEqualStores([cookie("a", "2")])
    }

    @Test
    func `scenario 2: what a script sets is in both, and hidden cookies are neither seen nor changed`() async throws {
        let keeper = keeper()
        native.set(
            WebCookie(name: "session", value: "s", domain: "shop.example.com", isSecure: true, isHTTPOnly: true))
        keeper.setScriptCookie("a=1; Path=/", at: page)
        keeper.setScriptCookie("session=stolen; Path=/", at: page)
        keeper.setScriptCookie("own=1; HttpOnly", at: page)
        #expect(keeper.scriptCookies(at: page) == "a=1")
        await keeper.giveToWebView()
        #expect(web.cookies().map(\.name).sorted() == ["a", "session"])
        #expect(web.cookies().first { $0.name == "session" }?.value == "s")
        keeper.setScriptCookie("a=; Path=/; Max-Age=0", at: page)
        #expect(keeper.scriptCookies(at: page) == "")
        await keeper.giveToWebView()
        #expect(web.cookies().map(\.name) == ["session"])
    }

    @Test
    func `scenario 3 and 5: answers' cookies are kept at each hop and sent where they belong`() async throws {
        let server = try EchoServer()
        let keeper = CookieKeeper(native: native, web: web)
        let online = NetworkLoader(cookies: keeper)
        defer { online.close() }
        // Another name of the same machine is another site: its cookies stay its own.
        let other = server.address.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        let target = "\(other)/cookies?set=last%3D3%7Csecret%3D4%3BHttpOnly"
        let to = try #require(target.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let first = try await Self.get("\(server.address)/redirect?to=\(to)", online)
        #expect(first == "")
        #expect(
            Set(native.cookies().map { "\($0.domain) \($0.name)" }) == [
                "127.0.0.1 hop", "localhost last", "localhost secret",
            ])
        #expect(try await Self.get("\(other)/cookies", online) == "last=3; secret=4")
        #expect(try await Self.get("\(server.address)/cookies", online) == "hop=1")
        await keeper.giveToWebView()
        #expect(Set(web.cookies()) == Set(native.cookies()))
    }

    @Test
    func `scenario 4: what the app sets, changes and deletes is in the web view before a page loads`() async {
        let keeper = keeper()
        native.set(cookie("a", "1"))
        await keeper.giveToWebView()
        expectEqualStores([cookie("a", "1")])
        native.set(cookie("a", "2"))
        native.set(cookie("c", "1"))
        await keeper.giveToWebView()
        expectEqualStores([cookie("a", "2"), cookie("c", "1")])
        native.delete(cookie("a", ""))
        await keeper.giveToWebView()
        expectEqualStores([cookie("c", "1")])
    }

    @Test
    func `scenario 5: a request's own field is replaced, not added to`() throws {
        let keeper = keeper()
        native.set(cookie("a", "1"))
        native.set(cookie("deep", "1", path: "/cart"))
        native.set(cookie("elsewhere", "1", path: "/car"))
        native.set(cookie("old", "1", expires: clock.now))
        native.set(WebCookie(name: "b", value: "1", domain: "example.com", isHostOnly: false))
        native.set(WebCookie(name: "x", value: "1", domain: "example.com"))
        var request = URLRequest(url: page)
        request.setValue("a=0; a=1", forHTTPHeaderField: "Cookie")
        keeper.apply(to: &request, page: nil)
        #expect(request.value(forHTTPHeaderField: "Cookie") == "deep=1; a=1; b=1")
    }

    @Test
    func `another site's page gets what SameSite allows it`() throws {
        let keeper = keeper()
        let other = try #require(URL(string: "https://other.org/"))
        keeper.store(setCookie: "s=1; SameSite=Strict, l=1; SameSite=Lax, n=1; SameSite=None; Secure, d=1", from: page)
        func sent(from site: URL?, isNavigation: Bool = false, method: String = "GET") -> String? {
            var request = URLRequest(url: page)
            request.httpMethod = method
            keeper.apply(to: &request, page: site, isNavigation: isNavigation)
            return request.value(forHTTPHeaderField: "Cookie")
        }
        #expect(sent(from: page) == "s=1; l=1; n=1; d=1")
        #expect(sent(from: other) == "n=1")
        #expect(sent(from: other, isNavigation: true) == "l=1; n=1; d=1")
        #expect(sent(from: other, isNavigation: true, method: "POST") == "n=1")
    }

    @Test
    func `a cookie that expires goes from both stores`() async {
        let keeper = keeper()
        web.set(cookie("a", "1", expires: clock.now.addingTimeInterval(10)))
        await keeper.takeFromWebView()
        #expect(native.cookies().count == 1)
        clock.advance(11)
        #expect(keeper.scriptCookies(at: page) == "")
        await keeper.takeFromWebView()
        expectEqualStores([])
    }

    @Test
    func `where both changed, the side of the event wins`() async {
        let keeper = keeper()
        web.set(cookie("a", "1"))
        await keeper.takeFromWebView()
        web.set(cookie("a", "web"))
        native.set(cookie("a", "app"))
        await keeper.giveToWebView()
        expectEqualStores([cookie("a", "app")])
        web.set(cookie("a", "web"))
        native.delete(cookie("a", ""))
        await keeper.takeFromWebView()
        expectEqualStores([cookie("a", "web")])
    }

    @Test
    func `plain http does not replace what https has set`() throws {
        let keeper = keeper()
        let plain = try #require(URL(string: "http://shop.example.com/"))
        keeper.store(setCookie: "a=good; Secure; Path=/", from: page)
        keeper.store(setCookie: "a=bad; Path=/", from: plain)
        #expect(native.cookies().map(\.value) == ["good"])
    }

    @Test
    func `random changes on both sides always end in equal stores`() async {
        var generator = SystemRandomNumberGenerator()
        let keeper = keeper()
        for _ in 0..<500 {
            for store in [native, web] where Bool.random(using: &generator) {
                let name = "c\(Int.random(in: 0..<4, using: &generator))"
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: store.delete(cookie(name, ""))
                case 1: store.set(cookie(name, "\(Int.random(in: 0..<3))"))
                default: store.set(cookie(name, "timed", expires: clock.now.addingTimeInterval(.random(in: 0...20))))
                }
            }
            clock.advance(.random(in: 0...5))
            if Bool.random(using: &generator) { await keeper.takeFromWebView() } else { await keeper.giveToWebView() }
            #expect(Set(native.cookies()) == Set(web.cookies()))
            #expect(!native.cookies().contains { $0.isExpired(at: clock.now) })
        }
    }

    @Test
    func `a cookie that the web view refuses stays in the app, with what becomes of it there`() async {
        let web = RefusingStore { $0.domain == "shop" }
        let keeper = CookieKeeper(native: native, web: web, now: { [clock] in clock.now })
        func refused(_ value: String) -> WebCookie { WebCookie(name: "login", value: value, domain: "shop") }
        native.set(refused("1"))
        native.set(cookie("a", "1"))
        for round in 0..<3 {
            await keeper.giveToWebView()
            await keeper.takeFromWebView()
            #expect(Set(native.cookies()) == [refused("1"), cookie("a", "1")], "round \(round)")
            #expect(web.kept.cookies() == [cookie("a", "1")])
        }
        native.set(refused("2"))
        await keeper.takeFromWebView()
        await keeper.giveToWebView()
        #expect(native.cookies().first { $0.name == "login" } == refused("2"))
        native.delete(refused(""))
        await keeper.giveToWebView()
        await keeper.takeFromWebView()
        expect(native, holds: [cookie("a", "1")])
    }

    @Test
    func `a new value and a deletion that the web view refuses are tried again, and the old value does not come back`()
        async
    {
        let web = RefusingStore()
        let keeper = CookieKeeper(native: native, web: web, now: { [clock] in clock.now })
        native.set(cookie("a", "1"))
        native.set(cookie("b", "1"))
        await keeper.giveToWebView()
        web.refuses { _ in true }
        native.set(cookie("a", "2"))
        native.delete(cookie("b", ""))
        for _ in 0..<2 {
            await keeper.giveToWebView()
            await keeper.takeFromWebView()
            expect(native, holds: [cookie("a", "2")])
        }
        web.refuses { _ in false }
        await keeper.takeFromWebView()
        expect(native, holds: [cookie("a", "2")])
        expect(web.kept, holds: [cookie("a", "2")])
    }

    @Test
    func `a cookie that the app's storage refuses stays in the web view`() async {
        let native = NamingStore()
        let keeper = CookieKeeper(native: native, web: web, now: { [clock] in clock.now })
        web.set(cookie("", "nameless"))
        web.set(cookie("a", "1"))
        for _ in 0..<2 {
            await keeper.takeFromWebView()
            await keeper.giveToWebView()
            expect(web, holds: [cookie("", "nameless"), cookie("a", "1")])
            #expect(native.cookies() == [cookie("a", "1")])
        }
        web.delete(cookie("", ""))
        await keeper.takeFromWebView()
        expect(web, holds: [cookie("a", "1")])
    }

    @Test
    func `a web view that cannot say its cookies has lost none`() async {
        let web = RefusingStore()
        let keeper = CookieKeeper(native: native, web: web, now: { [clock] in clock.now })
        native.set(cookie("a", "1"))
        await keeper.giveToWebView()
        web.isSilent = true
        native.set(cookie("b", "1"))
        await keeper.takeFromWebView()
        await keeper.giveToWebView()
        expect(native, holds: [cookie("a", "1"), cookie("b", "1")])
        web.isSilent = false
        await keeper.takeFromWebView()
        expect(native, holds: [cookie("a", "1"), cookie("b", "1")])
        expect(web.kept, holds: [cookie("a", "1"), cookie("b", "1")])
    }

    @Test
    func `what a page changes while its cookies are being carried is not lost`() async {
        let web = RefusingStore()
        let keeper = CookieKeeper(native: native, web: web, now: { [clock] in clock.now })
        for name in ["changed", "deleted"] { native.set(cookie(name, "1")) }
        await keeper.giveToWebView()
        native.set(cookie("new", "1"))
        web.beforeChange { [kept = web.kept, change = cookie("changed", "2"), made = cookie("made", "1")] in
            kept.set(change)
            kept.set(made)
            kept.delete(WebCookie(name: "deleted", value: "", domain: "shop.example.com"))
        }
        await keeper.giveToWebView()
        await keeper.giveToWebView()
        let expected = [cookie("changed", "2"), cookie("made", "1"), cookie("new", "1")]
        expect(native, holds: expected)
        expect(web.kept, holds: expected)
    }

    private func expect(_ store: MemoryCookieStore, holds expected: [WebCookie]) {
        #expect(Set(store.cookies()) == Set(expected))
    }

    @Test
    func `the system's storage keeps what a cookie is`() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let store = SystemCookieStore(storage)
        let cookies = [
            WebCookie(name: "a", value: "1", domain: "shop.example.com"),
            WebCookie(
                name: "b", value: "2", domain: "example.com", isHostOnly: false, path: "/x",
                expires: Date(timeIntervalSince1970: 4_000_000_000), isSecure: true, isHTTPOnly: true),
        ]
        for cookie in cookies { store.set(cookie) }
        #expect(Set(store.cookies()) == Set(cookies))
        store.delete(WebCookie(name: "b", value: "other", domain: "example.com", isHostOnly: false, path: "/x"))
        #expect(store.cookies() == [cookies[0]])
    }

    /// The body of an answer, through a page as an engine asks.
    private static func get(_ url: String, _ online: NetworkLoader) async throws -> String {
        let request = URLRequest(url: try #require(URL(string: url)))
        let page = PageSession(TestCatalog())
        return try await withCheckedThrowingContinuation { continuation in
            let body = TestBody()
            let transfer = ResourceLoad(request, on: page, online: online, at: .inPlace) { event in
                switch event {
                case .response: break
                case .data(let data): body.add(data)
                case .finished: continuation.resume(returning: String(decoding: body.data, as: UTF8.self))
                case .failed(let error): continuation.resume(throwing: error)
                }
            }
            transfer.start()
        }
    }
}

/// The app's storage as Foundation's is on Apple's systems: it wants a name.
private struct NamingStore: NativeCookieStore {
    private let kept = MemoryCookieStore()

    func cookies() -> [WebCookie] { kept.cookies() }
    func set(_ cookie: WebCookie) { if !cookie.name.isEmpty { kept.set(cookie) } }
    func delete(_ cookie: WebCookie) { kept.delete(cookie) }
}

/// A web view that takes not every cookie, says so to nobody, and may not answer at all.
private final class RefusingStore: WebCookieStore, @unchecked Sendable {
    struct Silence: Error {}

    let kept = MemoryCookieStore()
    private let lock = NSLock()
    private var refusal: @Sendable (WebCookie) -> Bool
    private var intrusion: (@Sendable () -> Void)?
    private var silence = false

    init(_ refusal: @escaping @Sendable (WebCookie) -> Bool = { _ in false }) {
        self.refusal = refusal
    }

    var isSilent: Bool {
        get { lock.withLock { silence } }
        set { lock.withLock { silence = newValue } }
    }

    func refuses(_ refusal: @escaping @Sendable (WebCookie) -> Bool) { lock.withLock { self.refusal = refusal } }
    /// What somebody else does before the next change.
    func beforeChange(_ intrusion: @escaping @Sendable () -> Void) { lock.withLock { self.intrusion = intrusion } }

    func cookies() throws -> [WebCookie] {
        if isSilent { throw Silence() }
        return kept.cookies()
    }

    func set(_ cookie: WebCookie) { if admits(cookie) { kept.set(cookie) } }
    func delete(_ cookie: WebCookie) { if admits(cookie) { kept.delete(cookie) } }

    private func admits(_ cookie: WebCookie) -> Bool {
        let (refusal, intrusion) = lock.withLock {
            defer { self.intrusion = nil }
            return (self.refusal, self.intrusion)
        }
        intrusion?()
        return !refusal(cookie)
    }
}

private final class TestBody: @unchecked Sendable {
    private let lock = NSLock()
    private var bytes = Data()

    var data: Data { lock.withLock { bytes } }
    func add(_ data: Data) { lock.withLock { bytes += data } }
}

final class CookieClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time = Date(timeIntervalSince1970: 1_800_000_000)

    var now: Date { lock.withLock { time } }
    func advance(_ seconds: TimeInterval) { lock.withLock { time += seconds.rounded() } }
}
