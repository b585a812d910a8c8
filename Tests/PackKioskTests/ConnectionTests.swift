import Foundation
import PackJSON
import Testing

/// What WebKit does with its connections to the proxy.
@Suite(.serialized)
struct ConnectionTests {
    private static func site(_ title: String, _ script: String = "") -> Data {
        Data("<!doctype html><title>\(title)</title><link rel=\"icon\" href=\"data:,\"><script>\(script)</script>".utf8)
    }

    @Test(arguments: Transport.allCases)
    func `a page that leads on at its start, and loads in the first seconds, are there at once`(
        transport: Transport
    ) async throws {
        let bench = try Bench([
            "index.html": Self.site("start", "location.replace('/home.html')"), "home.html": Self.site("home"),
            "next.html": Self.site("next"),
        ])
        let kiosk = try await RunningKiosk(bench, transport, "--ready-timeout", "8")
        try await kiosk.event("finished") { $0["url"] == .string(transport.url("/home.html")) }
        #expect(try await kiosk.evaluate("return document.title") as? String == "home")
        for path in ["/next.html", "/home.html", "/next.html"] {
            let start = ContinuousClock.now
            try await kiosk.load(transport.url(path))
            #expect(ContinuousClock.now - start < .seconds(1), "\(path) took \(ContinuousClock.now - start)")
        }
        #expect(!kiosk.saidErrors.contains("does not work"))
    }

    @Test(arguments: Transport.allCases)
    func `after a WebSocket to the own origin failed, requests go on`(transport: Transport) async throws {
        let bench = try Bench(["index.html": Self.site("shop"), "data.json": Data("{\"a\": 1}".utf8)])
        let kiosk = try await RunningKiosk(bench, transport)
        try await kiosk.event("ready")
        let said = try await kiosk.evaluate(
            """
            const failed = await new Promise(done => {
              try {
                const socket = new WebSocket("wss://shop.package/socket");
                socket.onopen = () => done("open");
                socket.onclose = () => done("closed");
              } catch (error) { done("refused"); }
            });
            const texts = [];
            for (let i = 0; i < 8; i++) texts.push(await (await fetch("/data.json?" + i, {cache: "no-store"})).text());
            return failed + " " + [...new Set(texts)].join();
            """)
        #expect(said as? String == "closed {\"a\": 1}")
    }
}
