import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The dashboard of a real `packtool serve` in a real Chromium: every page and every verb, by the keyboard.
@Suite(.serialized)
struct DashboardBrowserTests {
    private struct Tour: Decodable {
        let faults: [String]
        let pages: [String]
        let verbs: [String]
        let sizes: [String: Int]
    }

    static let device = "00000000000000000000000000000001"
    private static let settings = #"{"package": "checkout", "origins": ["https://shop.example.com/checkout/"]}"#
    private static let plan = """
        {"steps": [{"share": 5, "for": "4h"}, {"share": 25, "for": "1d"}, {"share": 100}], "devices": 200000}
        """

    @Test func `every page and every verb works in a browser, by the keyboard, light and dark, narrow and wide`()
        async throws
    {
        let folder = try PacktoolFolder("dashboard")
        let hostile = "<script>document.title='hit'</script><img src=x onerror=alert(1)> \"'&"
        func publish(_ version: String, _ page: String, _ arguments: String...) throws {
            try folder.build(
                version, ["index.html": page, "app.js": String(repeating: page, count: 40)], Self.settings)
            try folder.run(["publish", "packages/checkout-\(version).zip", "--note", hostile] + arguments)
        }
        try publish("1.0.0", "one", "--channel", "stable")
        try publish("1.1.0", "two, which is longer", "--channel", "stable")
        try folder.run("release", "checkout@1.1.0", "--channel", "beta", "--new-channel")
        try Data(Self.plan.utf8).write(to: folder.url.appendingPathComponent("plan.json"))
        try publish("1.2.0", "three", "--yes")
        try folder.run("rollout", "checkout@1.2.0", "--channel", "stable", "--plan", "plan.json", "--yes")
        try folder.run("rollout", "run")
        try publish("1.3.0", "four", "--channel", "beta")
        try Data(#"{"steps": [{"share": 5, "for": "4h"}, {"share": 100}], "start": "manual"}"#.utf8)
            .write(to: folder.url.appendingPathComponent("later.json"))
        try folder.run("release", "checkout@1.0.0", "--channel", "nightly", "--new-channel")
        try folder.run("rollout", "checkout@1.3.0", "--channel", "nightly", "--plan", "later.json", "--yes")
        let token = try folder.token("\(hostile.prefix(30))", "--admin")
        _ = try folder.token("old", "--publish")
        let url = try folder.serve("serve", saying: /http:\/\/127\.0\.0\.1:\d+/)
        try await Self.report(to: url)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("WebScripts/dashboard_tour.py")
        var arguments = ["python3", script.path, url, token, Self.device]
        if let shots = ProcessInfo.processInfo.environment["DASHBOARD_SHOTS"] { arguments.append(shots) }
        let tour = try JSONDecoder().decode(Tour.self, from: try folder.output(of: arguments))
        #expect(tour.faults == [], "\(tour.faults.joined(separator: "\n"))")
        #expect(tour.pages.count == 13)
        #expect(
            Set(tour.verbs) == [
                "rollout-pause", "rollout-resume", "rollout-advance", "rollout-halt", "rollout-retry", "share",
                "rollout-complete", "rollout-rollback", "promote", "roll-back", "gate-off", "gate-on",
                "roll-back-embedded", "rollout-start", "withdraw", "revoke-token",
            ])
        for (page, size) in tour.sizes { #expect(size < 100_000, "\(page) has \(size) bytes") }
        let log = try folder.run("audit", "--json")
        for action in ["rollout", "token"] { #expect(log.contains(action)) }
    }

    /// What some devices say about the versions, over some days.
    private static func report(to url: String) async throws {
        let now = Int(Date().timeIntervalSince1970)
        for number in 1...60 {
            let version = ["1.0.0", "1.1.0", "1.1.0", "1.2.0"][number % 4]
            let time = now - (number % 5) * 86_400
            var events = [
                #"{"sequence":1,"code":"downloaded","time":\#(time),"package":"checkout","version":"\#(version)","wireBytes":12000,"zipBytes":90000}"#,
                #"{"sequence":2,"code":"activated","time":\#(time),"package":"checkout","version":"\#(version)"}"#,
            ]
            events.append(
                number % 7 == 0
                    ? #"{"sequence":3,"code":"failed","time":\#(time),"package":"checkout","version":"\#(version)","phase":"start","error":"neverConfirmed"}"#
                    : #"{"sequence":3,"code":"confirmed","time":\#(time),"package":"checkout","version":"\#(version)"}"#
            )
            events.append(
                #"{"sequence":4,"code":"session","time":\#(time),"package":"checkout","version":"\#(version)","local":40,"online":3,"missed":1,"bytes":500000}"#
            )
            let sender = String(repeating: "0", count: 32 - String(number, radix: 16).count) + String(number, radix: 16)
            let body =
                #"{"format":1,"sender":"\#(sender)","channel":"stable","events":[\#(events.joined(separator: ","))]}"#
            var request = URLRequest(url: try #require(URL(string: url + "/v1/reports")))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.utf8)
            let (data, answer) = try await URLSession.shared.data(for: request)
            #expect((answer as? HTTPURLResponse)?.statusCode == 200, "\(String(decoding: data, as: UTF8.self))")
        }
    }
}

extension PacktoolFolder {
    /// Builds a version of `checkout` into `packages/`.
    func build(_ version: String, _ site: [String: String], _ settings: String) throws {
        try Data(settings.utf8).write(to: url.appendingPathComponent("packtool.json"))
        let dist = url.appendingPathComponent("sites/\(version)")
        try FileManager.default.createDirectory(at: dist, withIntermediateDirectories: true)
        for (name, text) in site { try Data(text.utf8).write(to: dist.appendingPathComponent(name)) }
        try run("build", dist.path, "--package", "checkout", "--package-version", version, "--out", "packages")
    }

    /// Creates a token.
    /// - Returns: its text.
    func token(_ arguments: String...) throws -> String {
        let said = try run(["token", "create"] + arguments)
        return String(try #require(said.firstMatch(of: /ptk_[A-Za-z0-9_-]+/)?.output, "\(said)"))
    }

    /// What another program prints.
    func output(of arguments: [String]) throws -> Data {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return data
    }
}
