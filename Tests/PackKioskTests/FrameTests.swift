import Foundation
import PackJSON
import Testing

/// Pages of other packages and strangers in frames: they are shown, and speak for nobody.
@Suite(.serialized)
struct FrameTests {
    private static func shop(_ transport: Transport, frame: String) -> [String: Data] {
        let html = """
            <!doctype html><title>shop</title><link rel="icon" href="data:,">
            <script>addEventListener("message", event => { window.said = event.data; });</script>
            <iframe src="\(frame)"></iframe>
            """
        return ["index.html": Data(html.utf8), "child.html": Data(child.utf8)]
    }

    private static let child = """
        <!doctype html><link rel="icon" href="data:,"><script>
        (async () => {
          let answer = "no hook";
          try { answer = await globalThis.packtool?.confirm?.(); } catch (error) { answer = "refused"; }
          parent.postMessage("child: " + answer, "*");
        })();
        </script>
        """

    private func status(_ bench: Bench, of package: String) throws -> JSONObject {
        let text = try bench.packtool("client", "status", "--store", "store", "--json")
        return try JSONValue(parsing: Array(text.utf8)).object().object("packages").object(package)
    }

    @Test(arguments: Transport.allCases)
    func `a framed package is shown from its version, is counted by nobody, and outlives any number of starts`(
        transport: Transport
    ) async throws {
        let bench = try Bench(Self.shop(transport, frame: transport.url("/", package: "other")))
        try bench.publish("1.0.0", of: "other", ["index.html": Data(Self.child.utf8)])
        try bench.update()
        for _ in 0..<4 {
            let kiosk = try await RunningKiosk(bench, transport)
            try await kiosk.event("ready") { $0["package"] == .string("shop") }
            for _ in 0..<100 where try await kiosk.evaluate("return window.said || null") is NSNull {
                try await Task.sleep(for: .milliseconds(50))
            }
            // Its page is there, it has a hook, and nothing to confirm.
            #expect(try await kiosk.evaluate("return said") as? String == "child: false")
            try await kiosk.load(transport.url("/"))
            try await kiosk.send("quit")
        }
        let other = try status(bench, of: "other")
        #expect(other["active"] == .string("1.0.0"))
        #expect(other["confirmed"] == .bool(false))
        #expect(other["starts"] == .integer(0))
    }

    @Test(arguments: Transport.allCases)
    func `a frame of the page's own origin may confirm, for the document around it`(transport: Transport) async throws {
        let bench = try Bench(Self.shop(transport, frame: "child.html"))
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page")
        try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
    }

    @Test(arguments: Transport.allCases)
    func `a package that is framed by a page that does not work cannot confirm it`(transport: Transport) async throws {
        let bench = try Bench(Self.shop(transport, frame: "child.html"))
        try bench.publish("1.0.0", of: "other", ["index.html": Data(Self.child.utf8)])
        try bench.update()
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page", "--ready-timeout", "5")
        try await kiosk.event("ready")
        try bench.publish("2.0.0", Self.shop(transport, frame: transport.url("/", package: "other")))
        #expect(try await kiosk.update())
        let count = kiosk.eventCount
        try await kiosk.load(transport.url("/"))
        try await kiosk.event("rolledBack", after: count)
        try await kiosk.event("ready", after: count) { $0["version"] == .string("1.0.0") }
        let ready = kiosk.names(after: count, before: kiosk.eventCount).filter { $0 == "ready" }
        #expect(ready.count == 1)
    }

    @Test(arguments: Transport.allCases)
    func `a page of another package opens its own version, and the kiosk's stays unconfirmed`(
        transport: Transport
    ) async throws {
        let leave =
            "<!doctype html><title>leaves</title><script>location.href = '\(transport.url("/", package: "other"))'</script>"
        let bench = try Bench(["index.html": Data(leave.utf8)])
        try bench.publish("1.0.0", of: "other", ["index.html": Data(Self.child.utf8)])
        try bench.update()
        let kiosk = try await RunningKiosk(bench, transport, "--ready", "page", "--ready-timeout", "60")
        try await kiosk.event("ready") { $0["package"] == .string("other") }
        #expect(try status(bench, of: "other")["confirmed"] == .bool(true))
        #expect(try status(bench, of: "shop")["confirmed"] == .bool(false))
    }
}
