import Foundation
import PackJSON
import Testing

/// A kiosk's life: new versions while pages load, versions that do not work.
@Suite(.serialized)
struct UpdateTests {
    /// A page that loads twenty scripts, one after the other, each saying its version.
    private static func slowSite(_ version: String) -> [String: Data] {
        var files = [
            "index.html": """
            <!doctype html><title>\(version)</title><link rel="icon" href="data:,"><script>
            window.seen = ["\(version)"];
            window.all = (async () => {
              for (let i = 0; i < 20; i++) {
                seen.push((await import("./part" + i + ".js")).version);
                await new Promise(done => setTimeout(done, 80));
              }
            })();
            </script>
            """
        ]
        for part in 0..<20 { files["part\(part).js"] = "export const version = \"\(version)\";" }
        return files.mapValues { Data($0.utf8) }
    }

    @Test(arguments: Transport.allCases)
    func `an update while a page loads leaves the page its version and gives the next page the new one`(
        transport: Transport
    ) async throws {
        let bench = try Bench(Self.slowSite("1.0.0"))
        try bench.publish("2.0.0", Self.slowSite("2.0.0"))
        let kiosk = try await RunningKiosk(bench, transport)
        try await kiosk.event("ready")
        #expect(try await kiosk.send("update") == "true")
        #expect(try await kiosk.evaluate("return seen.length < 21") as? Bool == true)
        let seen = try await kiosk.evaluate("await all; return [seen.length, [...new Set(seen)].join()]")
        #expect((seen as? [Any])?.first as? Int == 21)
        #expect((seen as? [Any])?.last as? String == "1.0.0")
        #expect(try await kiosk.send("version") == "\"1.0.0\"")
        try await kiosk.load(transport.url("/"))
        let next = try await kiosk.evaluate("await all; return [...new Set(seen)].join()")
        #expect(next as? String == "2.0.0")
        #expect(try await kiosk.send("version") == "\"2.0.0\"")
    }

    @Test
    func `a version whose page never says that it is ready is left for the one before`() async throws {
        let good =
            "<!doctype html><title>good</title><script>webkit.messageHandlers.packtool.postMessage({ready: true})</script>"
        let bench = try Bench(["index.html": Data(good.utf8)])
        let kiosk = try await RunningKiosk(bench, .proxy, "--ready", "page", "--ready-timeout", "2")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", ["index.html": Data("<!doctype html><title>hangs</title>".utf8)])
        #expect(try await kiosk.send("update") == "true")
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": Transport.proxy.url("/")])
        let back = try await kiosk.event("rolledBack", after: count)
        #expect(try back.string("from") == "2.0.0")
        #expect(try back.string("to") == "1.0.0")
        try await kiosk.event("ready", after: count)
        #expect(try await kiosk.evaluate("return document.title") as? String == "good")
        // It is not tried again.
        #expect(try await kiosk.send("update") == "false")
    }

    @Test
    func `without a network what is installed is shown`() async throws {
        let bench = try Bench(KioskSite.files())
        try FileManager.default.removeItem(at: bench.folder.appendingPathComponent(".packtool"))
        let kiosk = try await RunningKiosk(bench, .proxy)
        #expect(try await kiosk.evaluate("return document.title") as? String == "one")
        #expect(try await kiosk.send("update") == "false")
    }
}
