import Foundation
import PackJSON
import Testing

/// Versions that take the screen and do not give it back. What counts is the page that is on the screen afterwards.
@Suite(.serialized)
struct DeadScreenTests {
    private static func page(_ title: String, _ script: String = "") -> [String: Data] {
        [
            "index.html": Data(
                """
                <!doctype html><title>\(title)</title><link rel="icon" href="data:,"><body>\(title)
                <script>\(script)</script>
                """.utf8)
        ]
    }

    private static let ready = "webkit.messageHandlers.packtool.postMessage({ready: true});"

    /// Waits until the page of this title is on the screen and answers.
    private func expectOnScreen(_ title: String, in kiosk: RunningKiosk, after count: Int) async throws {
        try await kiosk.event("ready", after: count)
        #expect(try await kiosk.evaluate("return document.title") as? String == title)
        #expect(try await kiosk.evaluate("return document.body.innerText.trim()") as? String == title)
        // Still there, and alive, some time later.
        try await Task.sleep(for: .seconds(3))
        #expect(try await kiosk.evaluate("return document.title") as? String == title)
    }

    /// What a page does that never becomes ready and never lets go.
    private static let deaths = [
        "for (;;) {}", "alert('nobody reads this')", "addEventListener('load', () => { for (;;) {} })",
    ]

    @Test(arguments: Transport.allCases, deaths)
    func `a version that hangs or asks before it is ready is off the screen, and the one before is on it`(
        transport: Transport, death: String
    ) async throws {
        let bench = try Bench(Self.page("good", Self.ready))
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page", "--ready-timeout", "4")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", Self.page("dead", death))
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": transport.url("/")])
        let back = try await kiosk.event("rolledBack", after: count)
        #expect(try back.string("from") == "2.0.0")
        try await expectOnScreen("good", in: kiosk, after: count)
        #expect(try await kiosk.send("version") == "\"1.0.0\"")
        #expect(kiosk.names(after: count, before: kiosk.eventCount).filter { $0 == "rolledBack" }.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func `a version that hangs soon after it was confirmed is off the screen too`(transport: Transport) async throws {
        let bench = try Bench(Self.page("good", Self.ready))
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page", "--ready-timeout", "4")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", Self.page("dead", Self.ready + "setTimeout(() => { for (;;) {} }, 3000)"))
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": transport.url("/")])
        try await kiosk.event("ready", after: count) { $0["version"] == .string("2.0.0") }
        let back = try await kiosk.event("rolledBack", after: count)
        #expect(try back.string("to") == "1.0.0")
        let after = kiosk.eventCount
        try await expectOnScreen("good", in: kiosk, after: after)
        // It is not tried again.
        #expect(try await !kiosk.update())
    }

    @Test(arguments: Transport.allCases)
    func `a version that loads itself anew for ever is left when its time is over`(transport: Transport) async throws {
        let bench = try Bench(Self.page("good", Self.ready))
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page", "--ready-timeout", "5")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", Self.page("again", "setTimeout(() => location.reload(), 100)"))
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        let start = ContinuousClock.now
        try await kiosk.send("load", ["url": transport.url("/")])
        try await kiosk.event("rolledBack", after: count)
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(kiosk.names(after: count, before: kiosk.eventCount).filter { $0 == "started" }.count > 5)
        try await expectOnScreen("good", in: kiosk, after: count)
    }

    @Test(arguments: Transport.allCases)
    func `a page whose script or style is missing is not ready by its load`(transport: Transport) async throws {
        let bench = try Bench(Self.page("good"))
        let kiosk = try await RunningKiosk(bench, transport, "--ready-timeout", "4")
        try await kiosk.event("ready")
        try bench.publish(
            "2.0.0", ["index.html": Data("<!doctype html><title>blank</title><script src=app.js></script>".utf8)])
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.load(transport.url("/"))
        try await kiosk.event("rolledBack", after: count)
        try await expectOnScreen("good", in: kiosk, after: count)
        #expect(kiosk.saidErrors.contains("app.js is not in version 2.0.0"))
    }

    @Test(arguments: Transport.allCases)
    func `a path that no version has opens the start, and costs no version`(transport: Transport) async throws {
        let bench = try Bench(Self.page("start"))
        let kiosk = try await RunningKiosk(bench, transport, "--path", "/no/such/page.html")
        try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
        #expect(try await kiosk.evaluate("return document.title") as? String == "start")
        #expect(try await kiosk.evaluate("return location.pathname") as? String == "/")
        #expect(kiosk.names(after: 0, before: kiosk.eventCount).contains("rolledBack") == false)
        #expect(kiosk.saidErrors.contains("is not in version 1.0.0; \(transport.url("/")) is opened in its place"))
        let status = try bench.packtool("client", "status", "--store", "store", "--json")
        #expect(status.contains("1.0.0"))
    }

    @Test(arguments: Transport.allCases)
    func `the control command update shows the new version where that is asked for`(transport: Transport) async throws {
        let bench = try Bench(Self.page("one"))
        let kiosk = try await RunningKiosk(bench, transport, "--reload")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", Self.page("two"))
        let count = kiosk.eventCount
        #expect(try await kiosk.update())
        try await kiosk.event("ready", after: count) { $0["version"] == .string("2.0.0") }
        #expect(try await kiosk.evaluate("return document.title") as? String == "two")
    }
}
