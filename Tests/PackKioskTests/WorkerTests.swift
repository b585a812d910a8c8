import Foundation
import PackJSON
import Testing

/// Service workers, which answer in the place of versions. Only the proxy has them.
@Suite(.serialized)
struct WorkerTests {
    private static let register = """
        navigator.serviceWorker.register("/sw.js");
        await new Promise(done => {
          if (navigator.serviceWorker.controller) done();
          else navigator.serviceWorker.addEventListener("controllerchange", done);
        });
        """

    /// What a script keeps in IndexedDB stays.
    private static let database = """
        const asked = request => new Promise((done, failed) => {
          request.onsuccess = () => done(request.result);
          request.onerror = () => failed(request.error);
        });
        const open = indexedDB.open("shop");
        open.onupgradeneeded = () => open.result.createObjectStore("words");
        const store = (await asked(open)).transaction("words", "readwrite").objectStore("words");

        """

    /// A site whose worker keeps its pages and never asks for them again.
    private static func cached(_ version: String) -> [String: Data] {
        [
            "index.html": Data(
                """
                <!doctype html><title>\(version)</title><link rel="icon" href="data:,"><body>\(version)
                <script>localStorage.kept ??= "\(version)"; document.cookie = "first=\(version); max-age=9999";</script>
                """.utf8),
            "sw.js": Data(
                """
                const version = "\(version)";
                addEventListener("install", event => {
                  skipWaiting();
                  event.waitUntil(caches.open("pages").then(cache => cache.addAll(["/", "/index.html"])));
                });
                addEventListener("activate", event => event.waitUntil(clients.claim()));
                addEventListener("message", event => event.source.postMessage(version));
                addEventListener("fetch", event => event.respondWith(
                  caches.match(event.request).then(kept => kept || fetch(event.request))));
                """.utf8),
        ]
    }

    @Test(arguments: [[], ["--data", "view"]])
    func `a worker that keeps the pages of version 1 keeps version 2 from nobody`(data: [String]) async throws {
        let bench = try Bench(Self.cached("1.0.0"))
        let kiosk = try await RunningKiosk(bench, .proxy, data)
        try await kiosk.event("ready")
        _ = try await kiosk.evaluate(Self.register + Self.database + "await asked(store.put('kept', 'key'));")
        var count = kiosk.eventCount
        try await kiosk.load(Transport.proxy.url("/"))
        // The worker answers, so the page says nothing about the version.
        #expect(try await kiosk.evaluate("return !!navigator.serviceWorker.controller") as? Bool == true)
        #expect(!kiosk.names(after: count, before: kiosk.eventCount).contains("ready"))

        try bench.publish("2.0.0", Self.cached("2.0.0"))
        #expect(try await kiosk.update())
        // The worker's script comes from the active version, though version 1's page is on the screen.
        let script = try await kiosk.evaluate(
            """
            const registration = await navigator.serviceWorker.ready;
            await registration.update();
            const worker = registration.installing || registration.waiting || registration.active;
            const said = new Promise(done => { navigator.serviceWorker.onmessage = event => done(event.data); });
            navigator.serviceWorker.startMessages();
            worker.postMessage("version");
            return await said;
            """)
        #expect(script as? String == "2.0.0")

        count = kiosk.eventCount
        try await kiosk.load(Transport.proxy.url("/"))
        try await kiosk.event("ready", after: count) { $0["version"] == .string("2.0.0") }
        let screen = try await kiosk.evaluate(
            """
            \(Self.database)
            return [document.title, document.body.innerText.trim(), localStorage.kept, await asked(store.get("key")),
              String((await navigator.serviceWorker.getRegistrations()).length), (await caches.keys()).join()]
            """)
        #expect(screen as? [String] == ["2.0.0", "2.0.0", "1.0.0", "kept", "0", ""])
        #expect(try await kiosk.evaluate("return document.cookie") as? String == "first=2.0.0")
    }

    @Test
    func `a worker of version 1 does not answer after a restart, when version 2 was installed meanwhile`() async throws
    {
        let bench = try Bench(Self.cached("1.0.0"))
        do {
            let kiosk = try await RunningKiosk(bench, .proxy, "--data", "view")
            try await kiosk.event("ready")
            _ = try await kiosk.evaluate(Self.register)
        }
        try bench.publish("2.0.0", Self.cached("2.0.0"))
        try bench.update()
        let kiosk = try await RunningKiosk(bench, .proxy, "--data", "view")
        try await kiosk.event("ready") { $0["version"] == .string("2.0.0") }
        let screen = try await kiosk.evaluate(
            """
            return [document.title, localStorage.kept,
              String((await navigator.serviceWorker.getRegistrations()).length), (await caches.keys()).join()]
            """)
        #expect(screen as? [String] == ["2.0.0", "1.0.0", "0", ""])
    }

    /// Version 2 does not work, and its worker answers with a page that says that it does.
    private static let lying: [String: Data] = [
        "index.html": Data(
            """
            <!doctype html><title>broken</title><script src="missing.js"></script><script>
            navigator.serviceWorker.register("/sw.js");
            navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
            </script>
            """.utf8),
        "sw.js": Data(
            """
            addEventListener("install", () => skipWaiting());
            addEventListener("activate", event => event.waitUntil(clients.claim()));
            const page = `<!doctype html><title>lies</title><script>
              webkit.messageHandlers.packtool.postMessage({ready: true});
              globalThis.packtool?.confirm?.();</` + `script>`;
            addEventListener("fetch", event => {
              if (event.request.mode === "navigate")
                event.respondWith(new Response(page, { headers: { "content-type": "text/html" } }));
            });
            """.utf8),
    ]

    @Test(arguments: ["load", "page"])
    func `a page that a worker made confirms nothing, and goes with its version`(ready: String) async throws {
        let good = """
            <!doctype html><title>good</title><link rel="icon" href="data:,"><body>good
            <script>webkit.messageHandlers.packtool.postMessage({ready: true})</script>
            """
        let bench = try Bench(["index.html": Data(good.utf8)])
        let kiosk = try await RunningKiosk(bench, .proxy, "--ready", ready, "--ready-timeout", "8")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", Self.lying)
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": Transport.proxy.url("/")])
        // The second page of version 2 is the worker's.
        try await kiosk.event("message", after: count)
        #expect(try await kiosk.evaluate("return document.title") as? String == "lies")
        try await kiosk.event("rolledBack", after: count)
        try await kiosk.event("ready", after: count) { $0["version"] == .string("1.0.0") }
        let screen = try await kiosk.evaluate(
            "return [document.title, String((await navigator.serviceWorker.getRegistrations()).length)]")
        #expect(screen as? [String] == ["good", "0"])
        #expect(kiosk.names(after: count, before: kiosk.eventCount).filter { $0 == "ready" }.count == 1)
    }

    @Test
    func `a package that does not say so gets no worker, and the report says why`() async throws {
        let page = "<!doctype html><title>shop</title><link rel=\"icon\" href=\"data:,\">"
        let bench = try Bench(["index.html": Data(page.utf8), "offline.js": Data("1".utf8)])
        let kiosk = try await RunningKiosk(bench, .proxy)
        try await kiosk.event("ready")
        let refused = try await kiosk.evaluate(
            """
            try { await navigator.serviceWorker.register("/offline.js"); return "registered"; }
            catch (error) { return error.name; }
            """)
        #expect(refused as? String != "registered")
        #expect(try await kiosk.evaluate("return await (await fetch('/offline.js')).text()") as? String == "1")
        let report = try await kiosk.send("report")
        #expect(report.contains("\"reason\":\"worker\""), "\(report)")
        #expect(report.contains("shop 1.0.0 may have no service worker"))
        #expect(
            try await kiosk.evaluate("return (await navigator.serviceWorker.getRegistrations()).length") as? Int == 0)
    }
}
