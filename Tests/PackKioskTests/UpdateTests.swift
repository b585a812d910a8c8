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
        #expect(try await kiosk.update())
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
        let kiosk = try await RunningKiosk(bench, .proxy, "--ready", "page", "--ready-timeout", "8")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", ["index.html": Data("<!doctype html><title>hangs</title>".utf8)])
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": Transport.proxy.url("/")])
        let back = try await kiosk.event("rolledBack", after: count)
        #expect(try back.string("from") == "2.0.0")
        #expect(try back.string("to") == "1.0.0")
        try await kiosk.event("ready", after: count)
        #expect(try await kiosk.evaluate("return document.title") as? String == "good")
        // It is not tried again.
        #expect(try await !kiosk.update())
    }

    /// What speaks for a page that is not the one on view: the page before it, when it is taken away, and a stranger's
    /// frame in it.
    private static let impostors = [
        "<!doctype html><title>hangs</title>",
        """
        <!doctype html><title>frame</title><iframe src="data:text/html,
        <script>webkit.messageHandlers.packtool.postMessage({ready:true})</script>"></iframe>
        """,
    ]

    @Test(arguments: impostors)
    func `only the new page itself says that it is ready`(impostor: String) async throws {
        let good = """
            <!doctype html><title>good</title><script>
            const ready = () => webkit.messageHandlers.packtool.postMessage({ready: true});
            ready();
            addEventListener("pagehide", ready);
            </script>
            """
        let bench = try Bench(["index.html": Data(good.utf8)])
        let kiosk = try await RunningKiosk(bench, .proxy, "--ready", "page", "--ready-timeout", "8")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", ["index.html": Data(impostor.utf8)])
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": Transport.proxy.url("/")])
        try await kiosk.event("rolledBack", after: count) { $0["from"] == .string("2.0.0") }
        try await kiosk.event("ready", after: count) { $0["version"] == .string("1.0.0") }
    }

    @Test
    func `a page's messages arrive as they are, whatever the page has changed before`() async throws {
        let kiosk = try await RunningKiosk(Bench.shared(), .proxy)
        let count = kiosk.eventCount
        let caught = try await kiosk.evaluate(
            """
            window.caught = [];
            const take = original => function (...all) { caught.push(all); return original.apply(this, all); };
            JSON.stringify = take(JSON.stringify);
            Reflect.apply = take(Reflect.apply);
            Function.prototype.call = take(Function.prototype.call);
            webkit.messageHandlers.packtool.postMessage({ a: [1, 'ä'] });
            webkit.messageHandlers.packtool.postMessage(undefined);
            webkit.messageHandlers.packtool.postMessage('text');
            return caught.length;
            """)
        #expect(caught as? Int == 0)
        var said: [String] = []
        for json in [#"{"a":[1,"ä"]}"#, "null", #""text""#] {
            said.append(try await kiosk.event("message", after: count) { $0["json"] == .string(json) }.string("json"))
        }
        #expect(said.count == 3)
        let source = try await kiosk.evaluate("return webkit.messageHandlers.packtool.postMessage.toString()")
        let text = try #require(source as? String)
        #expect(text.contains("key") && !text.contains { $0.isNumber })
    }

    @Test
    func `a kiosk that starts with nothing and without a network shows its package as soon as it is there`()
        async throws
    {
        let bench = try Bench(package: "other", ["index.html": Data("<title>other</title>".utf8)])
        let place = bench.folder.appendingPathComponent(".packtool/registry/view")
        let hidden = bench.folder.appendingPathComponent("away")
        try bench.publish("1.0.0", ["index.html": Data("<!doctype html><title>there</title>".utf8)])
        try FileManager.default.moveItem(at: place, to: hidden)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let kiosk = try await RunningKiosk(bench, .proxy, "--update-interval", "1")
        try await kiosk.event("finished") { $0["status"] == .integer(503) }
        #expect(try await kiosk.evaluate("return document.title") as? String == "shop is not on this device")
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: hidden, to: place)
        try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
        #expect(try await kiosk.evaluate("return document.title") as? String == "there")
    }

    @Test
    func `without a network what is installed is shown`() async throws {
        let bench = try Bench(KioskSite.files())
        try FileManager.default.removeItem(at: bench.folder.appendingPathComponent(".packtool"))
        let kiosk = try await RunningKiosk(bench, .proxy)
        #expect(try await kiosk.evaluate("return document.title") as? String == "one")
        #expect(try await !kiosk.update())
    }

    private static func plainSite(_ version: String) -> [String: Data] {
        let html = "<!doctype html><title>NAME \(version)</title><link rel=\"icon\" href=\"data:,\">"
        return [
            "index.html": Data(html.replacingOccurrences(of: "NAME", with: "start").utf8),
            "next.html": Data(html.replacingOccurrences(of: "NAME", with: "next").utf8),
            "version.txt": Data(version.utf8),
            "file.zip": Data([0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)),
        ]
    }

    @Test(arguments: Transport.allCases)
    func `pages that come back after an update keep their version, and say nothing about the new one`(
        transport: Transport
    ) async throws {
        let bench = try Bench(Self.plainSite("1.0.0"))
        let kiosk = try await RunningKiosk(bench, transport)
        try await kiosk.event("ready")
        func follow(_ script: String) async throws -> Bool {
            let count = kiosk.eventCount
            _ = try await kiosk.evaluate("setTimeout(() => { \(script) }, 50)")
            let isRestored = try await kiosk.event("committed", after: count)["isRestored"] == .bool(true)
            if !isRestored { try await kiosk.event("finished", after: count) }
            return isRestored
        }
        let ask = "const answer = await fetch('/version.txt', { cache: 'no-store' });"
        func state() async throws -> [String]? {
            try await kiosk.evaluate(ask + "return [document.title, location.pathname, await answer.text()]")
                as? [String]
        }
        #expect(try await !follow("location.href = 'next.html'"))
        _ = try await kiosk.evaluate(
            "history.pushState(1, '', '/pushed/once'); history.pushState(2, '', '/pushed/twice')")
        try bench.publish("2.0.0", Self.plainSite("2.0.0"))
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        // Its answer is no page's.
        _ = try await kiosk.evaluate("setTimeout(() => { location.href = '/file.zip' }, 50)")
        try await kiosk.event("stopped", after: count)
        #expect(try await follow("history.go(-3)"))
        #expect(try await state() == ["start 1.0.0", "/", "1.0.0"])
        #expect(try await follow("history.go(3)"))
        #expect(try await state() == ["next 1.0.0", "/pushed/twice", "1.0.0"])
        #expect(try await kiosk.send("version") == "\"1.0.0\"")
        #expect(kiosk.names(after: count, before: kiosk.eventCount).contains("ready") == false)
        #expect(try await !follow("location.href = '/'"))
        try await kiosk.event("ready", after: count) { $0["version"] == .string("2.0.0") }
        #expect(try await state() == ["start 2.0.0", "/", "2.0.0"])
        #expect(try await follow("history.back()"))
        #expect(try await state() == ["next 1.0.0", "/pushed/twice", "1.0.0"])
        #expect(try await follow("history.go(-3)"))
        #expect(try await state() == ["start 1.0.0", "/", "1.0.0"])
        #expect(try await follow("history.go(4)"))
        #expect(try await state() == ["start 2.0.0", "/", "2.0.0"])
    }
}
