import Foundation
import TestSupport
import Testing

/// Service workers, which answer in the place of versions, in a real Chromium by `packtool client serve`.
@Suite(.serialized)
struct WorkerTests {
    /// A site whose worker keeps its pages and never asks for them again.
    private static func cached(_ version: String) -> [String: String] {
        [
            "index.html": """
            <!doctype html><title>\(version)</title><link rel="icon" href="data:,"><body>\(version)
            <script>localStorage.kept ??= "\(version)"</script>
            """,
            "part.js": "const version = \"\(version)\";",
            "sw.js": """
            importScripts("part.js");
            addEventListener("install", event => {
              skipWaiting();
              event.waitUntil(caches.open("pages").then(cache => cache.addAll(["/", "/index.html"])));
            });
            addEventListener("activate", event => event.waitUntil(clients.claim()));
            addEventListener("message", event => event.source.postMessage(version));
            addEventListener("fetch", event => event.respondWith(
              caches.match(event.request).then(kept => kept || fetch(event.request))));
            """,
        ]
    }

    /// Waits for a version's page, and tells what is on the screen and what is kept.
    private static func reportWhen(_ title: String, then steps: String = "") -> String {
        """
        addEventListener("load", async () => {
          benchStep(document.title);
          if (document.title !== "\(title)") return;
          \(steps)
          benchReport(JSON.stringify([document.body.innerText.trim(), localStorage.kept,
            String((await navigator.serviceWorker.getRegistrations()).length), (await caches.keys()).join()]));
        });
        """
    }

    private static let register = """
        navigator.serviceWorker.register("/sw.js");
        await new Promise(done => {
          if (navigator.serviceWorker.controller) done();
          else navigator.serviceWorker.addEventListener("controllerchange", done);
        });
        const said = new Promise(done => { navigator.serviceWorker.onmessage = event => done(event.data); });
        navigator.serviceWorker.startMessages();
        navigator.serviceWorker.controller.postMessage("version");
        benchStep(await said);
        if (await said !== document.title) return;
        """

    @Test func `a worker that keeps its pages is removed by the next version, and by a rollback`() async throws {
        let bench = try await Bench()
        let store = try ServedStore()
        try store.install("1.0.0", Self.cached("1.0.0"))
        let address = try store.serve()
        func open(_ title: String, then steps: String = "") async throws -> String {
            try await bench.run(address, script: Self.reportWhen(title, then: steps), timeout: 60)
        }
        #expect(try await open("1.0.0", then: Self.register) == #"["1.0.0","1.0.0","1","pages"]"#)
        try store.project.run("client", "confirm", "--store", "store")
        // The worker of version 1 answers first.
        try store.install("2.0.0", Self.cached("2.0.0"))
        #expect(try await open("2.0.0") == #"["2.0.0","1.0.0","0",""]"#)
        try store.project.run("client", "confirm", "--store", "store")
        // Version 2 may have its own, with its own imports.
        #expect(try await open("2.0.0", then: Self.register) == #"["2.0.0","1.0.0","1","pages"]"#)
        #expect(try await open("2.0.0", then: Self.register) == #"["2.0.0","1.0.0","1","pages"]"#)
        try store.project.run("client", "rollback", "--store", "store")
        #expect(try await open("1.0.0") == #"["1.0.0","1.0.0","0",""]"#)
        // A version that may have none removes the one before it too.
        #expect(try await open("1.0.0", then: Self.register) == #"["1.0.0","1.0.0","1","pages"]"#)
        try store.install("3.0.0", Self.cached("3.0.0"), allowsWorker: false)
        #expect(try await open("3.0.0") == #"["3.0.0","1.0.0","0",""]"#)
        let refused = """
            const outcome = await navigator.serviceWorker.register("/sw.js").then(() => "registered", error => error.name);
            benchStep(outcome);
            if (outcome === "registered") return;
            """
        #expect(try await open("3.0.0", then: refused) == #"["3.0.0","1.0.0","0",""]"#)
        await bench.close()
    }

    /// A worker keeps the document with its hook, as the device answered it, and hands it out when another version is active.
    @Test func `a page of a worker confirms nothing`() async throws {
        let bench = try await Bench()
        let store = try ServedStore()
        func isConfirmed() throws -> Bool {
            try store.project.run("client", "status", "--store", "store", "--json").contains(#""confirmed": true"#)
        }
        func site(_ version: String) -> [String: String] {
            var site = Self.cached(version)
            site["sw.js"] = """
                const version = "\(version)";
                addEventListener("install", () => skipWaiting());
                addEventListener("activate", event => event.waitUntil(clients.claim()));
                addEventListener("message", event => event.source.postMessage(version));
                addEventListener("fetch", event => event.respondWith((async () => {
                  const pages = await caches.open("pages");
                  const kept = await pages.match(event.request);
                  if (kept) return kept;
                  const answer = await fetch(event.request);
                  if (event.request.mode === "navigate") await pages.put(event.request, answer.clone());
                  return answer;
                })()));
                """
            return site
        }
        /// Opens the package, and reports the first page that is on the screen, and how its confirmation ended.
        func confirm(_ address: String, then steps: String = "") async throws -> String {
            let script = """
                addEventListener("load", async () => {
                  const answer = await packtool.confirm().then(value => String(value), error => error.name);
                  \(steps)
                  benchReport(JSON.stringify([document.title, answer, (await caches.keys()).join()]));
                });
                """
            return try await bench.run(address, script: script, timeout: 60)
        }
        let script = """
            const log = line => { localStorage.log = (localStorage.log ?? "") + line; };
            const begin = () => {
              if (!document.title) return setTimeout(begin, 0);
              log(document.title + " ");
              if (document.title === "NEW") {
                benchReport(localStorage.log);
                return localStorage.removeItem("log");
              }
              packtool.confirm().then(value => log(value + " "), () => log("refused "));
            };
            begin();
            """
        try store.install("1.0.0", site("1.0.0"))
        let address = try store.serve()
        // The browser looks for a new worker when it wants to. If it did so between the installation and the opening, the kept page
        // is never on the screen, and nothing was tried: then once more with the next pair of versions.
        var wasKeptPageSeen = false
        for number in 1...5 where !wasKeptPageSeen {
            let (old, new) = ("\(number).0.0", "\(number + 1).0.0")
            #expect(try await confirm(address, then: Self.register) == "[\"\(old)\",\"true\",\"\"]")
            #expect(try isConfirmed())
            // Through the worker, which keeps it.
            #expect(try await confirm(address) == "[\"\(old)\",\"true\",\"pages\"]")
            try store.install(new, site(new))
            // The kept page asks as soon as it can, which is before `load`: the browser may look for the worker's script, which
            // ends the worker and leaves its page, at any time.
            let seen = try await bench.run(
                address, script: script.replacingOccurrences(of: "NEW", with: new), timeout: 60)
            #expect(["\(new) ", "\(old) \(new) ", "\(old) refused \(new) "].contains(seen), "\(seen)")
            #expect(try !isConfirmed(), "\(new) has not said a word")
            wasKeptPageSeen = seen.hasPrefix(old)
        }
        #expect(wasKeptPageSeen)
        await bench.close()
    }
}
