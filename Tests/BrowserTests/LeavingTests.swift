import Foundation
import PackWeb
import PackWebOnline
import TestSupport
import Testing

/// What a page sends that leaves right after, in a real Chromium.
@Suite(.serialized)
struct LeavingTests {
    private struct Noted: Decodable, Equatable {
        let method: String
        let body: String
    }

    /// The first page leaves as soon as it has sent; the second one asks the server what came.
    private static let pages = [
        "index.html": """
        <script>
        const { way } = Object.fromEntries(new URLSearchParams(location.search));
        const url = `https://echo.test/api/echo?preflight=slow&key=${way.replace(/\\W/g, "-")}`;
        const send = () => {
          const [kind, body] = way.split(" ");
          const made = { blob: new Blob(["kept"]), bytes: new TextEncoder().encode("kept") }[body] ?? "kept";
          const headers = body === "json" ? { "content-type": "application/json" } : {};
          if (kind === "beacon") navigator.sendBeacon(url, made);
          else fetch(url, { method: "POST", body: made, headers, keepalive: kind === "keepalive" }).catch(() => {});
        };
        const event = way.split(" ")[2];
        if (event !== "now") addEventListener(event, send, { once: true });
        setTimeout(() => {
          if (event === "now") send();
          location.href = `/second.html?way=${encodeURIComponent(way)}`;
        }, 100);
        </script>
        """,
        "second.html": """
        <script>
        const way = new URLSearchParams(location.search).get("way").replace(/\\W/g, "-");
        (async () => {
          for (let turn = 0; turn < 100; turn++) {
            const noted = await (await fetch(`https://echo.test/api/noted?key=${way}`)).json();
            const came = noted.filter(({ method }) => method !== "OPTIONS");
            if (came.length) return benchReport(JSON.stringify(came.map(({ method, body }) => ({ method, body }))));
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          benchReport("[]");
        })();
        </script>
        """,
    ]

    @Test(arguments: [PageHook.Strategy.bodies, .full], ["handler", "endpoint"])
    func `a page that leaves right after a request with keepalive or a beacon has sent it, with its body`(
        strategy: PageHook.Strategy, transport: String
    ) async throws {
        let bench = try await Bench()
        let store = try TestStore()
        let catalog = TestCatalog(try store.content("shop", "1.0.0", Self.pages))
        // The page is gone when the app hears of the request.
        let device = try await DeviceServer(catalog, echoPort: bench.echoPort, bodyDelay: .milliseconds(500))
        try await bench.route(["shop.package": device.port, "echo.test": device.port])
        let isHandler = transport == "handler"
        let hook = PageHook(
            strategy: strategy, transport: isHandler ? .messageHandler("packtool") : .endpoint("/-/bridge"))
        var ways = ["keepalive text now", "beacon text now", "keepalive blob now", "beacon blob now"]
        // The bench's own way to the app is closed while a page leaves.
        if !isHandler {
            ways += ["keepalive bytes visibilitychange", "keepalive text pagehide", "beacon text pagehide"]
        }
        // While another origin is asked. Where the engine asks, it is the engine's.
        if strategy == .full { ways.append("keepalive json now") }
        for way in ways {
            // What is sent depends on which of two messages comes first.
            for attempt in 0..<3 {
                let query = "\(way) \(attempt)".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let text = try await bench.run("https://shop.package/?way=\(query)", script: hook.script, timeout: 60)
                let noted = try JSONDecoder().decode([Noted].self, from: Data(text.utf8))
                #expect(noted == [Noted(method: "POST", body: "kept")], "\(strategy), \(transport): \(way)")
            }
        }
        if !isHandler {
            for _ in 0..<200 where device.bridge.callCount > 0 { try await Task.sleep(for: .milliseconds(50)) }
            #expect(device.bridge.callCount == 0)
        }
        #expect(device.bridge.bodies.counts.lost == 0)
        device.stop()
        await bench.close()
    }
}
