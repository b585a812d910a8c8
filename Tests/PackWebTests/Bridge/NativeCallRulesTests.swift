import Foundation
import PackWeb
import PackWebOnline
import TestSupport
import Testing

/// What a page may learn and send by requests that the app performs for it: no more than a browser lets it.
struct NativeCallRulesTests {
    private let page = HookPage()
    private let echo: EchoServer

    init() throws {
        echo = try EchoServer()
    }

    private func heard(_ bridge: PageBridge, _ number: Int, _ message: String) async throws -> HeardEvents {
        let code = await page.code(bridge, message)
        try #require(code.isEmpty, "\(code)")
        return try await page.events(bridge, page.id(number))
    }

    @Test func `of another origin's answer to a no-cors request a page learns that it came (Fetch 2.2.6)`() async throws
    {
        let bridge = HookPage.bridge()
        let message = page.request(
            page.id(1), echo.address + "/bytes?n=5000", ["mode": #""no-cors""#, "credentials": #""include""#])
        let heard = try await heard(bridge, 1, message)
        #expect(heard.response?.type == "opaque")
        #expect(heard.response?.status == 0)
        #expect(heard.response?.url.isEmpty == true)
        #expect(heard.response?.headers.isEmpty == true)
        #expect(heard.data.isEmpty)
        #expect(heard.hasEnded)
    }

    @Test(arguments: [
        ("DELETE", #"[["accept","*/*"]]"#), ("GET", #"[["x-secret","1"]]"#), ("GET", #"[["range","bytes=0-1"]]"#),
        ("POST", #"[["content-type","application/json"]]"#),
    ])
    func `what a form could not send does not go to another origin unasked (Fetch 2.2.2)`(
        method: String, headers: String
    ) async throws {
        let bridge = HookPage.bridge()
        let message = page.request(
            page.id(1), echo.address + "/echo", method: method, ["mode": #""no-cors""#, "headers": headers])
        #expect(try await heard(bridge, 1, message).error == "network")
    }

    @Test func `a page's request has its page's cookies, and never those of a navigation`() async throws {
        let keeper = CookieKeeper(native: MemoryCookieStore(), web: MemoryCookieStore())
        let server = try #require(URL(string: echo.address))
        for policy in ["Strict", "Lax"] {
            keeper.store(setCookie: "\(policy.lowercased())=1; SameSite=\(policy); Path=/", from: server)
        }
        #expect(keeper.scriptCookies(at: server).contains("lax=1"))
        let bridge = HookPage.bridge(online: NetworkLoader(cookies: keeper))
        // What it accepts does not make it a navigation, nor an empty referrer the app's own.
        let message = page.request(
            page.id(1), echo.address + "/cookies",
            [
                "credentials": #""include""#, "referrer": #""""#,
                "headers": #"[["accept","text/html"]]"#,
            ])
        let heard = try await heard(bridge, 1, message)
        #expect(heard.hasEnded && heard.data.isEmpty, "\(String(decoding: heard.data, as: UTF8.self))")
    }

    @Test func `requests that nobody reads are counted, keep nothing, and are forgotten at their end`() async throws {
        let bridge = HookPage.bridge { $0.maximumCallCount = 2 }
        // With CORS the answer is refused as soon as its head is here, which may be before the next request begins.
        let unread = ["unread": "true", "mode": #""no-cors""#]
        for number in 1...2 {
            #expect(await page.code(bridge, page.request(page.id(number), echo.address + "/slow", unread)) == "")
        }
        #expect(bridge.callCount == 2)
        #expect(await page.code(bridge, page.request(page.id(3), echo.address + "/slow", unread)) == "tooLarge")
        let quick = HookPage.bridge()
        #expect(await page.code(quick, page.request(page.id(1), echo.address + "/bytes?n=10", unread)) == "")
        while quick.callCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}
