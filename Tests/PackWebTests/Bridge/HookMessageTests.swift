import Foundation
import PackWeb
import PackWebOnline
import Testing

struct HookMessageTests {
    private let page = HookPage()

    @Test func `a message that is not of the schema is refused and changes nothing`() async {
        let bridge = HookPage.bridge()
        let id = page.id(1)
        for (text, code) in [
            ("", "invalid"), ("[]", "invalid"), ("{}", "invalid"), ("{\"v\":1}", "invalid"), ("null", "invalid"),
            (#"{"v":2,"type":"read","id":"\#(id)"}"#, "version"), (#"{"v":1,"type":"evil"}"#, "invalid"),
            (#"{"v":1,"type":"read","id":"\#(id)","more":1}"#, "invalid"),
            (#"{"v":1,"type":"read","id":"1"}"#, "invalid"), (#"{"v":1,"type":"read","id":"\#(id)"}"#, "unknown"),
            (#"{"v":1,"type":"leave","nonce":"../.."}"#, "invalid"),
            (page.body(id, size: -1), "invalid"), (page.body("x.1", size: 1), "invalid"),
            (
                #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"bytes","size":3,"data":"YQ=="}}"#,
                "invalid"
            ),
            (
                #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"bytes","size":1,"data":"?"}}"#,
                "invalid"
            ),
            (#"{"v":1,"type":"body","id":"\#(id)","purpose":"x","body":{"kind":"bytes","size":1}}"#, "invalid"),
            (
                #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"form","size":5,"parts":[{"name":"a","size":4}]}}"#,
                "invalid"
            ),
            (
                #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"form","size":1,"parts":[{"name":"a","size":9223372036854775807},{"name":"b","size":2}]}}"#,
                "tooLarge"
            ),
            (
                #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"form","size":0,"parts":[{"name":"a","size":0,"type":"a\r\nX: y"}]}}"#,
                "invalid"
            ),
            (page.request(id, "https://a.test/", method: "CONNECT"), "invalid"),
            (page.request(id, "https://a.test/", method: "A B"), "invalid"),
            (page.request(id, "/relative"), "invalid"),
            (page.request(id, "https://a.test/", ["headers": #"[["a\r\nb","c"]]"#]), "invalid"),
            (page.request(id, "https://a.test/", ["headers": #"[["a","b\r\nc: d"]]"#]), "invalid"),
            (page.request(id, "https://a.test/", ["mode": #""navigate""#]), "invalid"),
            (#"{"v":1,"type":"cookies"}"#, "unavailable"),
            (#"{"v":1,"type":"confirm","package":"a","version":"1","token":"t"}"#, "unavailable"),
            (String(repeating: " ", count: 1 << 20) + "{}", "tooLarge"),
        ] {
            #expect(await page.code(bridge, text) == code, "\(text.prefix(200))")
        }
        #expect(bridge.bodies.count == 0)
        #expect(bridge.callCount == 0)
    }

    @Test func `made-up and damaged messages are refused, whatever they hold`() async {
        let bridge = HookPage.bridge()
        let seeds = [page.body(page.id(1), Data("abc".utf8)), page.chunk(page.id(1), 0, Data("x".utf8))]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let reply = await page.send(bridge, String(decoding: bytes, as: UTF8.self))
            #expect(reply.hasPrefix("{"))
            bridge.pageEnded()
        }
    }

    @Test func `an origin that is not admitted gets an error, and no page reaches another's`() async throws {
        let bridge = HookPage.bridge { $0.admits = { $0 == "https://shop.package" || $0 == "https://other.package" } }
        var stranger = HookPage()
        stranger.origin = "https://evil.test"
        #expect(await stranger.code(bridge, stranger.body(stranger.id(1), Data("x".utf8))) == "origin")
        _ = await page.send(bridge, page.body(page.id(1), size: 2))
        var other = page
        other.origin = "https://other.package"
        #expect(await other.code(bridge, other.chunk(page.id(1), 0, Data("xx".utf8))) == "origin")
        _ = await other.send(bridge, #"{"v":1,"type":"cancel","id":"\#(page.id(1))"}"#)
        _ = await other.send(bridge, #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#)
        #expect(bridge.bodies.count == 1)
        #expect(await page.send(bridge, page.chunk(page.id(1), 0, Data("ok".utf8))) == "{}")
        let id = try #require(HookID(page.id(1)))
        #expect(await bridge.bodies.take(id)?.data == Data("ok".utf8))
    }
}
