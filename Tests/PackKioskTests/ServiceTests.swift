import Foundation
import PackJSON
import TestSupport
import Testing

/// A service of the package's own origin, as pages in the real WebKitGTK see it.
@Suite(.serialized)
struct ServiceTests {
    /// By proxy the engine's own jar is the package's, and the service's.
    @Test func `through the proxy a script's cookies reach the service, and the service's reach the script`()
        async throws
    {
        let (kiosk, server) = try await HookTests.kiosk(.proxy, [])
        defer { withExtendedLifetime(server) {} }
        let found = try await kiosk.evaluate(
            """
            document.cookie = "csrf=1; path=/";
            const ask = async (set, options) =>
              (await (await fetch("/online/cookies?set=" + encodeURIComponent(set), options)).text()).split("; ").sort().join();
            return {
              first: await ask("seen=2; Path=/|hidden=3; HttpOnly; Path=/|other=4; Path=/; Domain=example.com"),
              script: document.cookie.split("; ").sort().join(), second: await ask(""),
              none: await ask("no=5; Path=/", { credentials: "omit" }), last: await ask(""),
            };
            """)
        let values = try #require(found as? [String: String])
        #expect(values["first"] == "csrf=1")
        #expect(values["script"] == "csrf=1,seen=2")
        #expect(values["second"] == "csrf=1,hidden=3,seen=2")
        #expect(values["none"]?.isEmpty == true)
        #expect(values["last"] == "csrf=1,hidden=3,seen=2")
    }

    /// A scheme's handler is not told of `credentials`.
    @Test(arguments: [["--hook", "bodies"], ["--hook", "full"]])
    func `under a scheme a request that omits credentials carries none and keeps none`(arguments: [String]) async throws
    {
        let (kiosk, server) = try await HookTests.kiosk(.scheme, arguments)
        defer { withExtendedLifetime(server) {} }
        let found = try await kiosk.evaluate(
            """
            document.cookie = "login=1; path=/";
            const ask = async (set, options) =>
              (await (await fetch("/online/cookies?set=" + encodeURIComponent(set), options)).text()).split("; ").sort().join();
            const none = { credentials: "omit" };
            return {
              first: await ask("no=5; Path=/", none),
              request: await (await fetch(new Request("/online/cookies", none))).text(),
              last: await ask(""), file: await (await fetch("/data.json", none)).text(),
            };
            """)
        let values = try #require(found as? [String: String])
        #expect(values["first"]?.isEmpty == true && values["request"]?.isEmpty == true, "\(values)")
        #expect(values["last"] == "login=1", "\(values)")
        #expect(values["file"] == #"{"is": "one"}"#)
    }

    /// An app that polls sees what is new, though the service says nothing about caches.
    @Test(arguments: Transport.allCases)
    func `each request of a script reaches the service`(transport: Transport) async throws {
        let (kiosk, server) = try await HookTests.kiosk(transport, [])
        defer { withExtendedLifetime(server) {} }
        let notes = try await kiosk.evaluate(
            """
            // Before the load event WebKit asks for nothing twice in a document, by http neither.
            if (document.readyState !== "complete") await new Promise(done => addEventListener("load", done));
            await new Promise(done => setTimeout(done));
            const ask = key => new Promise(done => {
              const x = new XMLHttpRequest();
              x.onloadend = () => done(x.responseText);
              x.open("GET", "/online/note?key=" + key);
              x.send();
            });
            for (let i = 0; i < 3; i++) await ask("xhr");
            for (let i = 0; i < 3; i++) await fetch("/online/note?key=fetch");
            return (await (await fetch("/online/notes")).text()).split("\\n").map(line => line.trim()).sort().join();
            """)
        #expect(notes as? String == "GET fetch,GET fetch,GET fetch,GET xhr,GET xhr,GET xhr")
    }

    @Test(arguments: Transport.allCases)
    func `a service that cannot be reached is a network error for the page`(transport: Transport) async throws {
        let (kiosk, server) = try await HookTests.kiosk(transport, [])
        server.stop()
        let found = try await kiosk.evaluate(
            """
            const x = await new Promise(done => {
              const x = new XMLHttpRequest();
              x.onload = () => done("load " + x.status + x.responseText);
              x.onerror = () => done("error " + x.status);
              x.open("GET", "/online/mirror");
              x.send();
            });
            const get = await fetch("/online/mirror").then(a => "answered " + a.status, error => error.name);
            const post = await fetch("/online/mirror", { method: "POST", body: "b" }).then(a => "answered " + a.status, error => error.name);
            return [x, get, post].join(", ");
            """)
        #expect(found as? String == "error 0, TypeError, TypeError")
        #expect(
            try await kiosk.evaluate("return await (await fetch('/data.json')).text()") as? String == #"{"is": "one"}"#)
    }

    /// marimo, JupyterLab and ComfyUI need one.
    @Test func `through the proxy a WebSocket reaches the service with the page's cookies`() async throws {
        let (kiosk, server) = try await HookTests.kiosk(.proxy, [])
        defer { withExtendedLifetime(server) {} }
        let said = try await kiosk.evaluate(
            """
            document.cookie = "login=1; path=/";
            return await new Promise(done => {
              const heard = [];
              const socket = new WebSocket("wss://shop.package/online/socket");
              socket.onopen = () => heard.push("open");
              socket.onerror = () => heard.push("error");
              socket.onmessage = event => {
                heard.push(event.data);
                if (heard.length === 4) socket.close(); else socket.send("word " + heard.length);
              };
              socket.onclose = () => done(heard.join(", "));
            });
            """)
        #expect(said as? String == "open, cookies login=1, word 2, word 3")
        #expect(
            try await kiosk.evaluate("return await (await fetch('/data.json')).text()") as? String == #"{"is": "one"}"#)
    }

    /// `shop` is on the list of public suffixes, of which WebKit's own store keeps nothing.
    @Test(arguments: Transport.allCases)
    func `a cookie that is to last is there after a restart, with what storage has`(transport: Transport) async throws {
        let bench = try Bench(KioskSite.files())
        for turn in 0..<2 {
            let kiosk = try await RunningKiosk(bench, transport, "--data", "view")
            try await kiosk.event("ready")
            let found = try await kiosk.evaluate(
                """
                const before = document.cookie + " " + localStorage.kept;
                document.cookie = "login=1; path=/; max-age=3600";
                document.cookie = "session=2; path=/";
                localStorage.kept = "3";
                return before;
                """)
            #expect(found as? String == (turn == 0 ? " undefined" : "login=1 3"), "start \(turn)")
            // The engine writes what it keeps a little later.
            try await Task.sleep(for: .seconds(2))
        }
    }

    @Test(arguments: [("all", "third=1"), ("first", ""), ("none", "")])
    func `the cookies of other sites are taken as --cookies says`(policy: String, expected: String) async throws {
        let bench = try Bench(KioskSite.files())
        let server = try EchoServer(tlsIn: bench.folder)
        let kiosk = try await RunningKiosk(
            bench, .proxy, "--cookies", policy, "--certificate", "127.0.0.1=echo.pem")
        let found = try await kiosk.evaluate(
            """
            document.cookie = "own=1; path=/";
            const ask = async set => await (await fetch(
              "\(server.address)/cookies?set=" + encodeURIComponent(set), { credentials: "include" })).text();
            await ask("third=1; Secure; SameSite=None; Path=/");
            return [await ask(""), document.cookie];
            """)
        #expect(found as? [String] == [expected, policy == "none" ? "" : "own=1"], "\(found)")
    }

    /// An engine would block it; full hand-over goes around the engine.
    @Test(arguments: [false, true])
    func `plain http for a secure page is loaded by full hand-over only where the kiosk allows it`(
        isAllowed: Bool
    ) async throws {
        let (kiosk, server) = try await HookTests.kiosk(
            .proxy, ["--hook", "full"] + (isAllowed ? ["--mixed-content"] : []))
        defer { withExtendedLifetime(server) {} }
        // A name that leads nowhere: the question is whether it is asked for.
        let said = try await kiosk.evaluate(
            "return await fetch('http://machine.invalid/x').then(a => 'answered ' + a.status, error => error.name)")
        #expect(said as? String == "TypeError")
        #expect(try await kiosk.send("report").contains(#"http:\/\/machine.invalid\/x"#) == isAllowed)
        // This machine's own services are no others.
        let own = try await kiosk.evaluate("return await (await fetch('\(server.address)/text?body=own')).text()")
        #expect(own as? String == "own")
    }

    /// WebKit opens six connections to a host, and through a proxy it speaks HTTP/1.1 on them: an app that leaves more requests
    /// open than that takes one of these ways.
    @Test(arguments: [RequestTests.ways[1], RequestTests.ways[2], (transport: .proxy, arguments: ["--hook", "full"])])
    func `files load while eight requests wait for the service`(transport: Transport, arguments: [String]) async throws
    {
        let (kiosk, server) = try await HookTests.kiosk(transport, arguments)
        defer { withExtendedLifetime(server) {} }
        let found = try await kiosk.evaluate(
            """
            const begun = Date.now();
            let over = 0;
            for (let i = 0; i < 8; i++) fetch("/online/slow?n=1500&i=" + i).then(a => a.text()).then(() => { over++; });
            await new Promise(done => setTimeout(done, 300));
            const text = await (await fetch("/data.json")).text();
            return [text, String(over), String(Date.now() - begun < 5000)];
            """)
        #expect(found as? [String] == [#"{"is": "one"}"#, "0", "true"])
    }

    /// A build that was made for another place than the root.
    @Test(arguments: Transport.allCases)
    func `a site with a base is shown from there`(transport: Transport) async throws {
        let bench = try Bench()
        let site = [
            "index.html": """
            <!doctype html><title>x</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/mnt/style.css">
            <h1>Shop</h1><script type="module" src="/mnt/app.js"></script>
            """,
            "app.js": "import { word } from '/mnt/part.js'; document.title = word;",
            "part.js": "export const word = 'mounted';", "style.css": "h1 { color: rgb(1, 2, 3) }",
        ]
        try bench.publish("1.0.0", site.mapValues { Data($0.utf8) }, build: ["--base", "/mnt/"])
        try bench.update()
        let kiosk = try await RunningKiosk(bench, transport)
        for path in ["/", "/mnt/", "/mnt/index.html"] {
            try await kiosk.load(transport.url(path))
            let found = try await kiosk.evaluate(
                """
                for (const end = Date.now() + 5000; document.title !== "mounted" && Date.now() < end;)
                  await new Promise(done => setTimeout(done, 50));
                return [document.title, getComputedStyle(document.querySelector("h1")).color];
                """)
            #expect(found as? [String] == ["mounted", "rgb(1, 2, 3)"], "\(path)")
        }
        try await kiosk.event("ready") { $0["version"] == .string("1.0.0") }
    }
}
