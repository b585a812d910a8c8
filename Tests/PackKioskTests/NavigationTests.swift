import Foundation
import Glibc
import PackJSON
import TestSupport
import Testing

/// Navigations that bring no page, and pages that are not the kiosk's own package.
@Suite(.serialized)
struct NavigationTests {
    private static let html = """
        <!doctype html><title>VERSION</title><link rel="icon" href="data:,">
        <a id="zip" href="files/form.zip">zip</a><a id="next" href="next.html">next</a>
        """

    private static func site(_ version: String) -> [String: Data] {
        [
            "index.html": Data(html.replacingOccurrences(of: "VERSION", with: version).utf8),
            "next.html": Data("<!doctype html><title>next \(version)</title><link rel=\"icon\" href=\"data:,\">".utf8),
            "files/form.zip": Data([0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)),
            "sound.wav": KioskSite.sound(seconds: 2),
        ]
    }

    private func click(_ link: String, in kiosk: RunningKiosk) async throws {
        _ = try await kiosk.evaluate("setTimeout(() => document.querySelector('\(link)').click(), 50)")
    }

    private func expectNoFailure(of kiosk: RunningKiosk, after count: Int) {
        let names = kiosk.names(after: count, before: kiosk.eventCount)
        #expect(names.filter { ["failed", "rolledBack"].contains($0) } == [])
    }

    @Test(arguments: Transport.allCases)
    func `a download is no page: the one on view stays, its version too, and the next link leads on`(
        transport: Transport
    ) async throws {
        let kiosk = try await RunningKiosk(Bench(Self.site("1.0.0")), transport, "--ready", "page")
        let count = kiosk.eventCount
        try await click("#zip", in: kiosk)
        try await kiosk.event("stopped", after: count) { $0["url"] == .string(transport.url("/files/form.zip")) }
        // Time for what a failure would do.
        try await Task.sleep(for: .seconds(1))
        #expect(try await kiosk.evaluate("return document.title") as? String == "1.0.0")
        #expect(try await kiosk.send("version") == "\"1.0.0\"")
        expectNoFailure(of: kiosk, after: count)
        // The page on view still speaks for its version.
        _ = try await kiosk.evaluate("webkit.messageHandlers.packtool.postMessage({ready: true})")
        try await kiosk.event("ready", after: count) { $0["version"] == .string("1.0.0") }
        let next = kiosk.eventCount
        try await click("#next", in: kiosk)
        try await kiosk.event("finished", after: next) { $0["url"] == .string(transport.url("/next.html")) }
        let steps = ["started", "committed", "finished"]
        #expect(kiosk.names(after: next, before: kiosk.eventCount).filter(steps.contains).prefix(3) == steps[...])
        #expect(try await kiosk.evaluate("return document.title") as? String == "next 1.0.0")
    }

    @Test(arguments: Transport.allCases)
    func `an attachment is no failure, and the next page loads with its events`(transport: Transport) async throws {
        let bench = try Bench(Self.site("1.0.0"))
        let server = try EchoServer()
        let kiosk = try await RunningKiosk(bench, transport)
        try await kiosk.event("ready")
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": "\(server.address)/attachment"])
        try await kiosk.event("stopped", after: count)
        #expect(try await kiosk.evaluate("return document.title") as? String == "1.0.0")
        expectNoFailure(of: kiosk, after: count)
        let next = kiosk.eventCount
        try await kiosk.load(transport.url("/next.html"))
        let names = kiosk.names(after: next, before: kiosk.eventCount)
        #expect(
            names.filter { ["started", "committed", "finished"].contains($0) } == ["started", "committed", "finished"])
    }

    @Test
    func `sound that is opened by itself is no failure`() async throws {
        let kiosk = try await RunningKiosk(Bench(Self.site("1.0.0")), .proxy, inWindow: true)
        try await kiosk.event("ready")
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": Transport.proxy.url("/sound.wav")])
        try await kiosk.event("stopped", after: count)
        try await Task.sleep(for: .seconds(1))
        expectNoFailure(of: kiosk, after: count)
        try await kiosk.load(Transport.proxy.url("/next.html"))
    }

    @Test(arguments: Transport.allCases)
    func `a link leads to the version that an update has brought`(transport: Transport) async throws {
        let bench = try Bench(Self.site("1.0.0"))
        let kiosk = try await RunningKiosk(bench, transport)
        try await kiosk.event("ready")
        // The one that the kiosk looks for by itself.
        try await kiosk.event("updated")
        try bench.publish("2.0.0", Self.site("2.0.0"))
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await click("#next", in: kiosk)
        let started = try await kiosk.event("started", after: count)
        #expect(started["url"] == .string(transport.url("/next.html")))
        try await kiosk.event("ready", after: count) { $0["version"] == .string("2.0.0") }
        #expect(try await kiosk.evaluate("return document.title") as? String == "next 2.0.0")
    }

    @Test
    func `a page of another package and a foreign one are left for the start once they fail, and not before`()
        async throws
    {
        let bench = try Bench(Self.site("1.0.0"))
        try bench.publish("1.0.0", of: "other", ["index.html": Data("<!doctype html><title>other</title>".utf8)])
        try bench.update()
        let server = try EchoServer()
        let kiosk = try await RunningKiosk(bench, .proxy, "--ready-timeout", "3", "--ready", "page")
        _ = try await kiosk.evaluate("webkit.messageHandlers.packtool.postMessage({ready: true})")
        try await kiosk.event("ready")
        for url in ["\(server.address)/text?body=foreign", Transport.proxy.url("/", package: "other")] {
            let count = kiosk.eventCount
            try await kiosk.load(url)
            // It has no version to confirm: time takes nothing from it.
            try await Task.sleep(for: .seconds(9))
            #expect(try await kiosk.evaluate("return location.href") as? String == url)
            #expect(kiosk.names(after: count, before: kiosk.eventCount).filter { $0 == "started" }.count == 1)
        }
        for url in ["http://127.0.0.1:59999/", Transport.proxy.url("/none", package: "other")] {
            let count = kiosk.eventCount
            try await kiosk.send("load", ["url": url])
            try await kiosk.event("finished", after: count) { $0["url"] == .string(Transport.proxy.url("/")) }
            #expect(try await kiosk.evaluate("return document.title") as? String == "1.0.0")
            #expect(!kiosk.names(after: count, before: kiosk.eventCount).contains("rolledBack"))
            _ = try await kiosk.evaluate("webkit.messageHandlers.packtool.postMessage({ready: true})")
        }
        let count = kiosk.eventCount
        try await kiosk.load(Transport.proxy.url("/", package: "other"))
        let page = try #require(
            RunningKiosk.children(of: kiosk.processID).first { Self.name(of: $0) == "WebKitWebProces" })
        kill(page, SIGKILL)
        try await kiosk.event("crashed", after: count)
        try await kiosk.event("finished", after: count) { $0["url"] == .string(Transport.proxy.url("/")) }
        #expect(try await kiosk.evaluate("return document.title") as? String == "1.0.0")
    }

    private static func name(of process: Int32) -> String {
        let text = (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) ?? ""
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
