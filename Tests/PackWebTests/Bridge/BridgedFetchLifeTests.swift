import Foundation
import PackWeb
import PackWebOnline
import TestSupport
import Testing

/// How long a request that the app performs lasts, and what of its answer waits for the page.
struct BridgedFetchLifeTests {
    private let page = HookPage()

    @Test(.timeLimit(.minutes(2)))
    func `an installed file of any size is read whole by a page that takes its time`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 100 << 16)
        let store = try TestStore()
        let bridge = HookPage.bridge(catalog: TestCatalog(try store.content(entry: nil, ["film.bin": text])))
        let message = page.request(page.id(1), "https://shop.package/film.bin")
        #expect(await page.code(bridge, message) == "")
        var largest = 0
        // Long enough for a disk that nobody holds back to be far ahead.
        for _ in 0..<50 {
            try await Task.sleep(for: .milliseconds(20))
            largest = max(largest, bridge.unreadByteCount)
        }
        let heard = try await page.events(bridge, page.id(1)) { largest = max(largest, bridge.unreadByteCount) }
        #expect(heard.error == nil && heard.hasEnded)
        #expect(heard.response?.status == 200)
        #expect(heard.data == Data(text.utf8))
        #expect(largest > 0 && largest <= 2 << 20, "\(largest) bytes waited")
        #expect(bridge.callCount == 0)
        #expect(bridge.unreadByteCount == 0)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["cancel", "leave", "pageEnded"])
    func `a large answer that nobody reads any more is let go`(how: String) async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 19)
        let store = try TestStore()
        let closed = Counter()
        var content = try store.content(entry: nil, ["film.bin": text])
        content.onClose = { closed.increment() }
        let catalog = TestCatalog(content)
        do {
            let bridge = HookPage.bridge(catalog: catalog)
            #expect(await page.code(bridge, page.request(page.id(1), "https://shop.package/film.bin")) == "")
            while bridge.unreadByteCount < 1 << 20 { try await Task.sleep(for: .milliseconds(5)) }
            switch how {
            case "cancel": _ = await page.send(bridge, #"{"v":1,"type":"cancel","id":"\#(page.id(1))"}"#)
            case "leave": _ = await page.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#)
            default: bridge.pageEnded()
            }
            #expect(bridge.callCount == 0)
            #expect(bridge.unreadByteCount == 0)
        }
        // The session that has the version open is freed with what was sent from it.
        while closed.value == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `a request with keepalive goes on when its page leaves, and any other is stopped`(isKept: Bool) async throws {
        let echo = try EchoServer()
        let (begun, ended, failed) = (Counter(), Counter(), Counter())
        let online = NetworkLoader(
            prepare: { request in
                begun.increment()
                return request
            }, ended: { ($0.error == nil && $0.status == 200 ? ended : failed).increment() })
        let bridge = HookPage.bridge(online: online)
        let message = page.request(
            page.id(1), echo.address + "/slow?n=50", method: "POST",
            [
                "mode": #""no-cors""#, "keepalive": isKept ? "true" : "false",
                "body": #"{"kind":"bytes","size":4,"data":"a2VwdA=="}"#,
            ])
        #expect(await page.code(bridge, message) == "")
        // One that goes on may be left at once, before its body has been taken.
        while !isKept, begun.value == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await page.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#) == "{}")
        #expect(bridge.callCount == (isKept ? 1 : 0))
        for _ in 0..<2000 where ended.value + failed.value == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(ended.value == (isKept ? 1 : 0))
        #expect(failed.value == (isKept ? 0 : 1))
        for _ in 0..<2000 where bridge.callCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(bridge.callCount == 0)
        #expect(bridge.bodies.count == 0)
        #expect(bridge.unreadByteCount == 0)
        #expect(await page.code(bridge, #"{"v":1,"type":"read","id":"\#(page.id(1))"}"#) == "unknown")
    }

    @Test func `what a page has not read of a request with keepalive is freed when it leaves`() async throws {
        let store = try TestStore()
        let text = String(repeating: "0123456789abcdef", count: 1 << 19)
        let bridge = HookPage.bridge(catalog: TestCatalog(try store.content(entry: nil, ["film.bin": text])))
        let message = page.request(page.id(1), "https://shop.package/film.bin", ["keepalive": "true"])
        #expect(await page.code(bridge, message) == "")
        while bridge.unreadByteCount < 1 << 20 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await page.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#) == "{}")
        #expect(bridge.unreadByteCount == 0)
        while bridge.callCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request with keepalive that comes after its page's goodbye is nobody's to read`() async throws {
        let echo = try EchoServer()
        let bridge = HookPage.bridge()
        #expect(await page.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#) == "{}")
        let message = page.request(
            page.id(1), echo.address + "/echo", ["mode": #""no-cors""#, "keepalive": "true"])
        #expect(await page.code(bridge, message) == "")
        while bridge.callCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `the body of a request with keepalive waits for it when the page has left`() async throws {
        let bridge = HookPage.bridge()
        let id = try #require(HookID(page.id(1)))
        #expect(await page.send(bridge, page.body(page.id(1), Data("kept".utf8), purpose: "beacon")) == "{}")
        #expect(await page.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#) == "{}")
        #expect(await bridge.bodies.take(id)?.data == Data("kept".utf8))
    }
}
