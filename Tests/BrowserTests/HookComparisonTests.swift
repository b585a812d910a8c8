import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

/// What pages see of their requests in a real Chromium, with the hook and without it.
@Suite(.serialized)
struct HookComparisonTests {
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
        let parts = Self.scripts.appendingPathComponent("scenarios")
        let scenarios = try FileManager.default.contentsOfDirectory(atPath: parts.path).sorted()
            .map { try String(contentsOf: parts.appendingPathComponent($0), encoding: .utf8) }.joined()
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
        #expect(filter != nil || count >= 390, "\(count) scenarios")
        #expect(device.bridge.callCount == 0)
        // Of hundreds that were handed over; nobody came for those that are left, and their minute frees them.
        #expect(device.bridge.bodies.count <= 2)
        device.stop()
        await bench.close()
    }

    /// Where the page can tell, with the reason; docs/PAGE-HOOK.md has them too.
    private static let known: [PageHook.Strategy: Set<String>] = [
        .bodies: [
            // The test's own server reads methods in capitals only.
            "xhr §3.5.1 open(): method patch", "fetch §5.4 method patch",
            // Chromium marks a Request as used whose body `init` replaced; the standard does not.
            "fetch §5.4 Request: changed by init",
        ],
        .full: [
            // An empty body: Chromium fires loadstart on upload and nothing more, with a computable length of 0.
            "xhr §3.5.6 send(): an empty string", "xhr §3.5.6 send(): an empty ArrayBuffer",
            "xhr §3.5.6 send(): an empty Blob",
            // Chromium fires a progress event without a byte after an abort; the standard fires none.
            "xhr §3.5.7 abort(): while loading",
            // No body: Chromium fires timeout on upload all the same (the standard sets the upload complete flag).
            "xhr §3.5.3 timeout: of a GET",
            // Chromium rewrites the charset in its own way; ours is the standard's.
            "xhr §3.5.6 send(): a string as text/x; charset=utf-8",
            "xhr §3.5.6 send(): a string as a/b;charset=\"latin1\";c=d",
            // Listeners on upload make a browser ask the server first; no script sees whether there are any.
            "xhr §3.5.4 withCredentials: another origin that says *",
            "xhr §3.5.6 send(): another origin that does not agree",
            // How much of an answer is seen before it breaks is timing.
            "xhr §3.5.6 send(): an answer that is cut short",
            // Chromium sends to a host with a blank in its name; Foundation has no such address.
            "fetch §5.6 an address that cannot be read",
            // Chromium's answers without a body have an empty stream; the standard says null.
            "fetch §5.5 status 204", "fetch §5.5 status 205", "fetch §5.5 status 304", "fetch §5.5 HEAD",
        ],
    ]
}
