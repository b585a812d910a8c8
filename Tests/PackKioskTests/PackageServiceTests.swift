import Foundation
import PackJSON
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Services that a package names itself: by `api` in its packtool.json, which the publisher signs with the manifest.
@Suite(.serialized)
struct PackageServiceTests {
    private static func page(_ title: String) -> Data {
        Data("<!doctype html><title>\(title)</title><link rel=\"icon\" href=\"data:,\"><p>\(title)</p>".utf8)
    }

    private static let site = [
        "index.html": page("start"), "home.html": page("home"), "note.txt": Data("here".utf8),
    ]

    private static func api(_ server: EchoServer) -> String { #""api": {"/api/": "\#(server.address)/v1/"}"# }

    /// A device with version 1.0.0, whose own manifest names the server as its service.
    private static func bench(_ server: EchoServer) throws -> Bench {
        let bench = try Bench()
        try bench.publish("1.0.0", site, settings: [api(server)])
        try bench.update()
        return bench
    }

    /// The page sends two requests to its service.
    /// - Returns: the second one's answer.
    private func ask(_ kiosk: RunningKiosk) async throws -> (status: Int, text: String) {
        let found = try await kiosk.evaluate(
            """
            document.cookie = "csrf=1; path=/";
            await fetch("/api/note?key=order", { method: "PUT", body: "noted" });
            const answer = await fetch("/api/orders?open=1", { method: "PUT", body: "five ä" });
            return { status: answer.status, text: await answer.text() };
            """)
        let values = try #require(found as? [String: Any])
        return (try #require(values["status"] as? Int), try #require(values["text"] as? String))
    }

    @Test(arguments: Transport.allCases)
    func `a service that the version names is reached, on this device only with --loopback, and by no other version`(
        transport: Transport
    ) async throws {
        let server = try EchoServer()
        let bench = try Self.bench(server)
        do {
            // With none allowed, and with another one.
            let allowed = transport == .proxy ? [] : ["--loopback", "127.0.0.1:1"]
            let refused = try await ask(RunningKiosk(bench, transport, allowed))
            #expect(refused.status == 403)
            #expect(
                refused.text == "/api/orders leads to a service on this device, which the app does not allow\n")
        }
        let kiosk = try await RunningKiosk(bench, transport, "--loopback", server.place)
        try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
        let reached = try await ask(kiosk)
        #expect(reached.status == 200)
        let said = try #require(
            try JSONSerialization.jsonObject(with: Data(reached.text.utf8)) as? [String: Any], "\(reached)")
        #expect(said["method"] as? String == "PUT")
        #expect(said["path"] as? String == "/v1/orders?open=1")
        #expect(said["body"] as? String == "6669766520c3a4")
        #expect((said["headers"] as? [String: String])?["cookie"] == "csrf=1")
        #expect(try await kiosk.send("report").contains(#""reason":"api""#))
        // The next version names none.
        try bench.publish("2.0.0", Self.site)
        #expect(try await kiosk.update())
        try await kiosk.load(transport.url("/"))
        #expect(try await kiosk.send("version") == "\"2.0.0\"")
        let gone = try await ask(kiosk)
        #expect(gone.status == 405)
        #expect(gone.text.hasPrefix("a package answers GET and HEAD"), "\(gone)")
        // Of all that was sent the server has seen the one that was allowed.
        let notes = try await URLSession.shared.data(from: #require(URL(string: server.address + "/notes"))).0
        #expect(String(decoding: notes, as: UTF8.self) == "PUT order noted")
    }

    /// Sends the form of a login, whose service leads on to another address.
    /// - Returns: the address and the title on the screen.
    private func logIn(_ user: String, to next: String, in kiosk: RunningKiosk) async throws -> [String]? {
        let count = kiosk.eventCount
        _ = try await kiosk.evaluate(
            """
            const form = document.createElement("form");
            form.method = "post";
            form.action = "/api/login";
            for (const [name, value] of [["user", "\(user)"], ["next", "\(next)"]]) {
              const field = document.createElement("input");
              field.name = name;
              field.value = value;
              form.append(field);
            }
            document.body.append(form);
            setTimeout(() => form.submit(), 50);
            """)
        try await kiosk.event("finished", after: count)
        return try await kiosk.evaluate("return [location.href, document.title]") as? [String]
    }

    /// The package's page is `/api/…` where the service is `/v1/…`: an address of the one that is shown as the other's is seen.
    @Test(arguments: Transport.allCases)
    func `a service's redirects lead on at the page's own addresses, those of forms and of scripts`(
        transport: Transport
    ) async throws {
        let server = try EchoServer()
        let kiosk = try await RunningKiosk(
            Self.bench(server), transport, "--loopback", server.place, "--hook", "full")
        // The proxy's engine follows by itself. A scheme's engine cannot be told, so the address stays the one that was asked.
        let asked = transport.url("/api/login")
        let home = try await logIn("ada", to: "/home.html", in: kiosk)
        #expect(home == [transport == .proxy ? transport.url("/home.html") : asked, "home"])
        try await kiosk.load(transport.url("/"))
        let welcome = try await logIn("bob", to: "welcome", in: kiosk)
        #expect(welcome == [transport == .proxy ? transport.url("/api/welcome") : asked, "GET user=bob"])
        try await kiosk.load(transport.url("/"))
        let found = try await kiosk.evaluate(
            """
            const follow = async (to, status, init) => {
              try {
                const answer = await fetch(`/api/deep/redirect?status=${status}&to=${encodeURIComponent(to)}`, init);
                const bytes = [...new Uint8Array(await answer.arrayBuffer())];
                return `${answer.url} ${answer.redirected} ${bytes.join()}`;
              } catch (error) { return String(error); }
            };
            return [
              await follow("bytes?n=4", 302), await follow("../mirror", 307, { method: "POST", body: "kept" }),
              await follow("/v1/text?body=t", 303, { method: "POST", body: "dropped" }), await follow("../../note.txt", 302),
            ];
            """)
        let expected = [
            "/api/deep/bytes?n=4 true 0,31,62,93", "/api/mirror true 107,101,112,116", "/api/text?body=t true 116",
            "/note.txt true 104,101,114,101",
        ]
        #expect(found as? [String] == expected.map { transport.url($0) }, "\(found)")
    }
}
