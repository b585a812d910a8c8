import Foundation
import PackJSON
import Testing

/// What WebKit does with its connections to the proxy.
@Suite(.serialized)
struct ConnectionTests {
    private static func site(_ title: String, _ script: String = "") -> Data {
        Data("<!doctype html><title>\(title)</title><link rel=\"icon\" href=\"data:,\"><script>\(script)</script>".utf8)
    }

    private static let ready = "webkit.messageHandlers.packtool.postMessage({ready: true})"

    /// Only the page that its start leads to says that the version works. Where a connection stays silent, what a kiosk loads in
    /// its first ten seconds waits until they are over: a good version would be left before.
    @Test(arguments: Transport.allCases)
    func `a new version whose start leads on at once is there in the kiosk's first seconds, and stays`(
        transport: Transport
    ) async throws {
        let bench = try Bench(["index.html": Self.site("start 1.0.0", Self.ready)])
        try bench.packtool("client", "start", "--store", "store")
        try bench.packtool("client", "confirm", "--store", "store")
        try bench.publish(
            "2.0.0",
            [
                "index.html": Self.site("start 2.0.0", "location.replace('/home.html')"),
                "home.html": Self.site("home 2.0.0", Self.ready), "next.html": Self.site("next 2.0.0", Self.ready),
            ])
        try bench.update()
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page", "--ready-timeout", "8")
        // Of whichever version is there in the end.
        let ready = try await kiosk.event("ready")
        try #require(ready["version"] == .string("2.0.0"), "\(kiosk.saidErrors)")
        try await kiosk.event("finished") { $0["url"] == .string(transport.url("/home.html")) }
        let begun = try #require(kiosk.time(of: "started"))
        let shown = try #require(
            kiosk.time(of: "finished") { $0["url"] == .string(transport.url("/home.html")) })
        #expect(shown - begun < .seconds(8), "it took \(shown - begun)")
        #expect(try await kiosk.evaluate("return document.title") as? String == "home 2.0.0")
        for path in ["/next.html", "/home.html", "/next.html"] {
            let start = ContinuousClock.now
            try await kiosk.load(transport.url(path))
            #expect(ContinuousClock.now - start < .seconds(1), "\(path) took \(ContinuousClock.now - start)")
        }
        #expect(try await kiosk.evaluate("return document.title") as? String == "next 2.0.0")
        #expect(try await kiosk.send("version") == "\"2.0.0\"")
        #expect(!kiosk.names(after: 0, before: kiosk.eventCount).contains("rolledBack"))
        #expect(!kiosk.saidErrors.contains("was not ready"), "\(kiosk.saidErrors)")
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
