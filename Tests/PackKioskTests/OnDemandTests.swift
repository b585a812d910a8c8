import AttackSupport
import Foundation
import PackJSON
import TestSupport
import Testing

/// A kiosk whose package is not installed: it installs itself while it is shown, and a mirror that lies shows nothing.
@Suite(.serialized)
struct OnDemandTests {
    private static let site = [
        "index.html": Data(
            """
            <!doctype html><title>loading</title><link rel="icon" href="data:,"><link rel="stylesheet" href="style.css">
            <h1>Shop</h1><script type="module" src="app.js"></script>
            """.utf8),
        "app.js": Data("import { word } from './part.js'; document.title = word;".utf8),
        "part.js": Data("export const word = 'genuine';".utf8),
        "style.css": Data("h1 { color: rgb(1, 2, 3); }".utf8),
        "later.js": Data("export const later = 'later';".utf8),
        "film.bin": Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }),
    ]

    /// The page's title once its module has run, which may come after the load.
    private static let lastTitle = """
        for (const end = Date.now() + 5000; document.title !== "genuine" && Date.now() < end;)
          await new Promise(done => setTimeout(done, 50));
        return document.title;
        """

    /// A registry with version 1.0.0 of `shop`, and a mirror of it.
    private static func mirrored() throws -> (bench: Bench, view: URL, server: EchoServer) {
        let bench = try Bench()
        try bench.publish("1.0.0", site)
        let view = bench.folder.appendingPathComponent("mirror")
        try FileManager.default.copyItem(
            at: bench.folder.appendingPathComponent(".packtool/registry/view"), to: view)
        return (bench, view, try EchoServer(serving: view))
    }

    private static func kiosk(_ bench: Bench, _ transport: Transport, _ server: EchoServer) async throws -> RunningKiosk
    {
        try await RunningKiosk(
            bench, transport, "--registry", server.address, "--store", "fresh", "--root", ".packtool/root.json")
    }

    @Test(arguments: Transport.allCases)
    func `a package that is not here is shown as it comes, is confirmed, and works without the network`(
        transport: Transport
    ) async throws {
        let (bench, _, server) = try Self.mirrored()
        var kiosk: RunningKiosk? = try await Self.kiosk(bench, transport, server)
        try await kiosk?.event("ready") { $0["version"] == .string("1.0.0") }
        let title = try await kiosk?.evaluate(Self.lastTitle)
        #expect(title as? String == "genuine")
        let color = try await kiosk?.evaluate("return getComputedStyle(document.querySelector('h1')).color")
        #expect(color as? String == "rgb(1, 2, 3)")
        let part = try await kiosk?.evaluate(
            "return (await (await fetch('film.bin', {headers: {Range: 'bytes=251-254'}})).bytes()).join()")
        #expect(part as? String == "222,229,236,243")
        let state = bench.folder.appendingPathComponent("fresh/state.json")
        let deadline = ContinuousClock.now + .seconds(20)
        while try !String(contentsOf: state, encoding: .utf8).contains("\"confirmed\": true"),
            ContinuousClock.now < deadline
        {
            try await Task.sleep(for: .milliseconds(100))
        }
        kiosk = nil
        // A server that has nothing of it.
        let again = try await Self.kiosk(bench, transport, EchoServer())
        try await again.event("ready") { $0["version"] == .string("1.0.0") }
        #expect(try await again.evaluate(Self.lastTitle) as? String == "genuine")
        #expect(try await again.evaluate("return (await import('./later.js')).later") as? String == "later")
    }

    /// Without any key, and with the registry's online key. The same by `client serve` is in OnDemandAttackTests.
    @Test(arguments: Transport.allCases, MirrorLie.allCases)
    func `a mirror that lies brings no byte into a page`(transport: Transport, lie: MirrorLie) async throws {
        let (bench, view, server) = try Self.mirrored()
        try lie.tell(
            in: Mirror(folder: view, url: server.address),
            of: bench.folder.appendingPathComponent(".packtool/registry"),
            channel: "stable")
        let kiosk = try await Self.kiosk(bench, transport, server)
        let finished = try await kiosk.event("finished")
        #expect(try (500...504).contains(finished.integer("status")))
        #expect(try await kiosk.evaluate("return document.documentElement.innerText.includes('shop')") as? Bool == true)
        #expect(try await kiosk.evaluate("return document.title === 'evil' || 'evil' in window") as? Bool == false)
        let objects = bench.folder.appendingPathComponent("fresh/objects").path
        #expect(((try? FileManager.default.subpathsOfDirectory(atPath: objects)) ?? []).isEmpty)
    }
}
