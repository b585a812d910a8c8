import Foundation
import PackJSON
import Testing

/// What the channel says to a kiosk that goes on running, and what the kiosk says of itself.
@Suite(.serialized)
struct ChannelTests {
    private static func site(_ version: String) -> [String: Data] {
        [
            "index.html": Data("<!doctype html><title>\(version)</title><link rel=\"icon\" href=\"data:,\">".utf8),
            "data.json": Data("{}".utf8),
        ]
    }

    private static let text = "return [document.title, document.body.textContent.trim()]"
    private static let fetch = "return (await fetch('/data.json', { cache: 'no-store' })).status"

    @Test(arguments: Transport.allCases)
    func `a gate and rules hold in the kiosk that runs, and are taken back`(transport: Transport) async throws {
        let bench = try Bench(Self.site("1.0.0"))
        let kiosk = try await RunningKiosk(bench, transport)
        try await kiosk.event("ready")
        let process = kiosk.processID

        // The gate shows at once: the page on view is of a package that is switched off.
        try bench.packtool("gate", "shop", "--channel", "stable", "--off", "--yes")
        var count = kiosk.eventCount
        #expect(try await !kiosk.update())
        try await kiosk.event("finished", after: count) { $0["status"] == .integer(503) }
        let off = try #require(try await kiosk.evaluate(Self.text) as? [String])
        #expect(off.first == "shop is switched off" && off.last?.contains("feature gate for it is off") == true)
        try bench.packtool("gate", "shop", "--channel", "stable", "--on")
        count = kiosk.eventCount
        #expect(try await !kiosk.update())
        try await kiosk.event("finished", after: count) { $0["status"] == .integer(200) }
        #expect(try await kiosk.evaluate("return document.title") as? String == "1.0.0")

        // Rules hold for the pages that start after the check.
        #expect(try await kiosk.evaluate(Self.fetch) as? Int == 200)
        let rules = #"{"format":1,"rules":[{"name":"no data","action":"deny","path":"/data.json"}]}"#
        try Data(rules.utf8).write(to: bench.folder.appendingPathComponent("rules.json"))
        try bench.packtool("rules", "rules.json", "--channel", "stable")
        #expect(try await !kiosk.update())
        #expect(try await kiosk.evaluate(Self.fetch) as? Int == 200)
        try await kiosk.load(transport.url("/"))
        #expect(try await kiosk.evaluate(Self.fetch) as? Int == 403)
        try bench.packtool("rules", "--clear", "--channel", "stable")
        #expect(try await !kiosk.update())
        try await kiosk.load(transport.url("/"))
        #expect(try await kiosk.evaluate(Self.fetch) as? Int == 200)
        #expect(kiosk.isRunning && kiosk.processID == process)
    }

    /// Without `--app-version` a release with a range of the app never reaches a kiosk.
    @Test func `a kiosk gets what its app version, its platform and its tags admit`() async throws {
        let bench = try Bench(Self.site("1.0.0"))
        try bench.publish("2.0.0", Self.site("2.0.0"), settings: [#""requires": {"app": ">=3.0.0"}"#])
        try bench.packtool(
            "rollout", "shop", "--channel", "stable", "--audience", "platform=linux; tag.place=hall", "--percent",
            "100", "--yes")
        for (arguments, version) in [
            ([], "1.0.0"), (["--tag", "place=hall"], "1.0.0"), (["--app-version", "3.2 (17)"], "1.0.0"),
            (["--app-version", "2.9", "--tag", "place=hall"], "1.0.0"),
            (["--app-version", "3.2 (17)", "--tag", "place=hall"], "2.0.0"),
        ] {
            let kiosk = try await RunningKiosk(bench, .proxy, arguments)
            try await kiosk.event("ready")
            #expect(try await kiosk.update() == (version == "2.0.0"), "\(arguments)")
            try await kiosk.load(Transport.proxy.url("/"))
            #expect(try await kiosk.evaluate("return document.title") as? String == version, "\(arguments)")
        }
    }
}
