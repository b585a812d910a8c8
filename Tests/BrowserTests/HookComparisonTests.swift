import Foundation
import PackFormat
import PackWeb
import Testing

/// What pages see of their requests in a real Chromium, with the hook and without it.
@Suite(.serialized) struct HookComparisonTests {
    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("WebScripts")

    /// Of one length with the plain run's: a server says them back.
    private static let hosts: [PageHook.Strategy: String] = [.bodies: "hook01", .full: "hook02"]

    private func script(_ strategy: PageHook.Strategy) throws -> String {
        let hook = PageHook(strategy: strategy, transport: .messageHandler("packtool"))
        // While the hook is written: its source instead of the form that was built in.
        guard let path = ProcessInfo.processInfo.environment["PACKTOOL_HOOK"] else { return hook.script }
        let source = try String(contentsOfFile: path, encoding: .utf8)
        let start = try #require(hook.script.range(of: ")({", options: .backwards)).lowerBound
        return "(" + source + hook.script[start...]
    }

    private func results(_ text: String) throws -> [String: NSObject] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: NSObject])
    }

    private func text(_ value: NSObject?) throws -> String {
        guard let value else { return "nothing" }
        let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `a page sees and a server gets the same with the hook and without it`() async throws {
        let bench = try await Bench()
        let store = try TestStore()
        let page = try String(contentsOf: Self.scripts.appendingPathComponent("scenarios.html"), encoding: .utf8)
        let scenarios = try String(contentsOf: Self.scripts.appendingPathComponent("scenarios.js"), encoding: .utf8)
        let files = ["scenarios.html": page, "scenarios.js": scenarios]
        let catalog = TestCatalog()
        for host in Self.hosts.values {
            let content = try store.content(host, entry: nil, origins: ["https://\(host)-www.test/app/"], files)
            catalog.install(content)
        }
        let device = try await DeviceServer(catalog, echoPort: bench.echoPort)
        var routes: [String: Int] = [:]
        for name in ["www", "api"] {
            for host in Self.hosts.values { routes["\(host)-\(name).test"] = device.port }
        }
        try await bench.route(routes)
        let filter = ProcessInfo.processInfo.environment["PACKTOOL_SCENARIO"].flatMap {
            $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        }
        let query = filter.map { "?only=\($0)" } ?? ""
        let plain = try results(try await bench.run("https://hook00-www.test/app/scenarios.html" + query))
        let count = plain.count
        for strategy in [PageHook.Strategy.bodies, .full] {
            let hooked = try results(
                try await bench.run(
                    "https://\(Self.hosts[strategy] ?? "")-www.test/app/scenarios.html" + query,
                    script: try script(strategy)))
            #expect(Set(hooked.keys) == Set(plain.keys), "\(strategy): \(hooked.keys.sorted().prefix(3))")
            for name in plain.keys.sorted() where plain[name] != hooked[name] {
                if Self.known[strategy]?.contains(name) == true { continue }
                let (expected, found) = (try text(plain[name]), try text(hooked[name]))
                Issue.record(
                    "\(strategy): \(name)\n  plain:  \(expected.prefix(1500))\n  hooked: \(found.prefix(1500))")
            }
        }
        #expect(filter != nil || count >= 290, "\(count) scenarios")
        #expect(device.bridge.callCount == 0)
        #expect(device.bridge.bodies.counts.expired == 0)
        device.stop()
        await bench.close()
    }

    /// Where the page can tell, each with its reason in docs/PAGE-HOOK.md.
    private static let known: [PageHook.Strategy: Set<String>] = [:]
}
