import Foundation
import PackJSON
import TestSupport
import Testing

/// A kiosk whose registry, or whose package's services, have a certificate of a private authority.
@Suite(.serialized)
struct PrivateAuthorityTests {
    @Test func `the updater takes the authority that --ca names, and nothing without it`() async throws {
        let bench = try Bench()
        try bench.publish("1.0.0", ["index.html": Data("<!doctype html><title>shop</title>".utf8)])
        let view = bench.folder.appendingPathComponent(".packtool/registry/view")
        let server = try EchoServer(tlsIn: bench.folder, serving: view)
        let arguments = ["--registry", server.address, "--root", ".packtool/root.json"]
        do {
            let kiosk = try await RunningKiosk(bench, .scheme, arguments + ["--store", "one", "--ca", "echo.pem"])
            try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
        }
        do {
            let kiosk = try await RunningKiosk(bench, .scheme, arguments + ["--store", "two"])
            let version = try await kiosk.evaluate("return document.title")
            #expect(version as? String != "shop")
            let said = try String(contentsOf: kiosk.errors, encoding: .utf8)
            #expect(said.contains("give that with --ca FILE or PACKTOOL_CA"), "\(said)")
        }
    }

    /// What the page gets: by the engine (a worker has no hook), by full hand-over, and by a WebSocket.
    private static let requests = """
        document.cookie = "login=1; path=/";
        const worker = new Worker("/worker.js");
        const byEngine = address => new Promise(done => {
          worker.onmessage = event => done(event.data);
          worker.postMessage(address);
        });
        const byApp = address => fetch(address).then(
          async answer => `${await answer.text()} at ${answer.url}`, error => error.name);
        const bySocket = address => new Promise(done => {
          const heard = [];
          const socket = new WebSocket(address);
          socket.onerror = () => heard.push("error");
          socket.onmessage = event => { heard.push(event.data); socket.close(); };
          socket.onclose = () => done(heard.join());
        });
        return [
          packtool.strategy, await byEngine("/service/text?body=engine"), await byEngine("/online/text?body=site"),
          await byApp("/service/text?body=app"), await bySocket("wss://shop.package/service/socket"),
          await byApp("/online/redirect?to=text%3Fbody%3Dmoved"),
        ];
        """

    /// A service by `api`, and the package's own web site, to which a rule sends requests.
    @Test func `services under a private authority are reached with --ca, by each way of a page, and not without`()
        async throws
    {
        let bench = try Bench()
        let server = try EchoServer(tlsIn: bench.folder, isSigned: true)
        let worker = """
            onmessage = async event =>
              postMessage(await fetch(event.data).then(answer => answer.text(), error => error.name));
            """
        let page = "<!doctype html><title>shop</title><link rel=\"icon\" href=\"data:,\">"
        try bench.publish(
            "1.0.0", ["index.html": Data(page.utf8), "worker.js": Data(worker.utf8)],
            settings: [#""origins": ["\#(server.address)/site/"]"#])
        try bench.update()
        let rules = #"""
            {"format": 1, "rules": [{"name": "site", "action": "online", "path": "/online/*"}],
             "api": {"/service/": "\#(server.address)/v1/"}}
            """#
        try Data(rules.utf8).write(to: bench.folder.appendingPathComponent("rules.json"))
        let arguments = ["--rules", "rules.json", "--hook", "full"]
        let without = try await RunningKiosk(bench, .proxy, arguments).evaluate(Self.requests)
        #expect(
            without as? [String] == ["full", "TypeError", "TypeError", "TypeError", "error", "TypeError"],
            "\(without)")
        let with = try await RunningKiosk(bench, .proxy, arguments + ["--ca", "authority.pem"])
            .evaluate(Self.requests)
        #expect(
            with as? [String] == [
                "full", "engine", "site", "app at https://shop.package/service/text?body=app", "cookies login=1",
                // A relative redirect is so to the page's address, not to the web site's.
                "moved at https://shop.package/online/text?body=moved",
            ], "\(with)")
    }
}
