import Foundation
import Testing

@testable import PackWeb

@testable import PackWebOnline

/// What a `Set-Cookie` field and a script's assignment mean (RFC 6265bis).
struct WebCookieTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func read(
        _ text: String, from source: WebCookie.Source = .server, at url: String = "https://shop.example.com/a/b/c"
    ) -> WebCookie? {
        URL(string: url).flatMap { WebCookie(setCookie: text, from: source, at: $0, now: now) }
    }

    @Test
    func `a cookie without attributes is its host's and its folder's`() throws {
        let cookie = try #require(read(" a = 1 "))
        #expect(cookie == WebCookie(name: "a", value: "1", domain: "shop.example.com", path: "/a/b"))
    }

    @Test(arguments: [
        ("a=1; Domain=example.com", "example.com", false), ("a=1; domain=.EXAMPLE.com", "example.com", false),
        ("a=1; Domain=shop.example.com", "shop.example.com", false), ("a=1; Domain=", "shop.example.com", true),
    ])
    func `a domain is taken from a host below it`(text: String, domain: String, isHostOnly: Bool) throws {
        let cookie = try #require(read(text))
        #expect(cookie.domain == domain)
        #expect(cookie.isHostOnly == isHostOnly)
    }

    @Test(arguments: [
        "a=1; Domain=other.com", "a=1; Domain=ample.com", "a=1; Domain=com", "a=1; Domain=x.shop.example.com", "=", "",
        "a=\u{1}", "a=1; SameSite=None", "__Secure-a=1", "__Host-a=1; Secure; Path=/x",
        "__host-a=1; Secure; Domain=example.com; Path=/",
    ])
    func `what nobody may set is ignored`(text: String) {
        #expect(read(text) == nil)
    }

    @Test
    func `no package can set a cookie for all packages`() {
        #expect(read("a=1; Domain=package", at: "https://shop.package/") == nil)
        #expect(read("a=1; Domain=.package", at: "https://shop.package/") == nil)
    }

    @Test
    func `plain http sets no secure cookie, and a script none that is hidden from it`() {
        #expect(read("a=1; Secure", at: "http://shop.example.com/") == nil)
        #expect(read("a=1; HttpOnly", from: .script) == nil)
        #expect(read("a=1; HttpOnly") != nil)
    }

    @Test
    func `an age has the last word over a date`() throws {
        let cookie = try #require(read("a=1; Max-Age=60; Expires=Wed, 09 Jun 2021 10:18:14 GMT"))
        #expect(cookie.expires == now.addingTimeInterval(60))
        #expect(try #require(read("a=1; Max-Age=0; Expires=Wed, 09 Jun 2100 10:18:14 GMT")).isExpired(at: now))
        #expect(try #require(read("a=1; Max-Age=x")).expires == nil)
    }

    @Test(arguments: [
        "Wed, 09 Jun 2027 10:18:14 GMT", "Wednesday, 09-Jun-27 10:18:14 GMT", "Wed Jun  9 10:18:14 2027",
        "9 jun 2027 10:18:14", "10:18:14 2027 June 9",
    ])
    func `a date is read in the forms that servers write`(text: String) {
        #expect(CookieDate.date(text) == Date(timeIntervalSince1970: 1_812_536_294))
    }

    @Test(arguments: ["", "Wed", "31 Feb 2027 10:00:00", "1 Jan 1600 00:00:00", "1 Jan 2027 25:00:00", "99999999999"])
    func `what is no date is none`(text: String) {
        #expect(CookieDate.date(text) == nil)
    }

    @Test
    func `fields that were joined by commas are told apart`() {
        let joined = "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=2; Path=/,c=, d=\"x, y\""
        #expect(
            SetCookieList.split(joined) == [
                "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2; Path=/", "c=", "d=\"x, y\"",
            ])
    }

    @Test
    func `random text neither crashes nor makes a cookie of another host`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array(
            "a=;, \t.\"Domain=Path=/Expires=Max-Age=-:0129Secure;HttpOnly;SameSite=Nonexample.com\u{0}é")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0..<60)).compactMap { _ in alphabet.randomElement(using: &generator) })
            _ = SetCookieList.split(text)
            _ = CookieDate.date(text)
            guard let cookie = read(text) else { continue }
            #expect(CookieScope.host("shop.example.com", isWithin: cookie.domain))
        }
    }
}
