import Foundation
import PackJSON
import Testing

/// Requests that engines handle badly under a custom scheme, and bodies that are larger than what anybody holds.
@Suite(.serialized)
struct RequestTests {
    static let ways: [(transport: Transport, arguments: [String])] = [
        (.proxy, []), (.scheme, []), (.scheme, ["--hook", "full"]),
    ]

    @Test(arguments: ways)
    func `a request that takes longer than its timeout ends with it, and one that does not comes whole`(
        transport: Transport, arguments: [String]
    ) async throws {
        let (kiosk, server) = try await HookTests.kiosk(transport, arguments)
        defer { withExtendedLifetime(server) {} }
        let found = try await kiosk.evaluate(
            """
            const run = (method, address, timeout, body) => new Promise(done => {
              const x = new XMLHttpRequest();
              const [events, begun] = [[], Date.now()];
              for (const type of ['load', 'abort', 'error', 'timeout']) x.addEventListener(type, () => events.push(type));
              x.onloadend = () => done([events.join(), x.status, x.responseText, Date.now() - begun < 5000].join(' '));
              x.open(method, address);
              x.timeout = timeout;
              x.send(body);
            });
            const slow = '/online/slow?n=1000';
            return {
              get: await run('GET', slow, 500), post: await run('POST', slow, 500, 'body'),
              enough: await run('POST', '/online/mirror', 20000, 'whole'), file: await run('GET', '/data.json', 20000),
            };
            """)
        let values = try #require(found as? [String: String])
        #expect(values["get"] == "timeout 0  true")
        #expect(values["post"] == "timeout 0  true")
        #expect(values["enough"] == "load 200 whole true")
        #expect(values["file"] == #"load 200 {"is": "one"} true"#)
    }

    @Test(arguments: ways)
    func `what a page sends while it leaves arrives, with its body`(
        transport: Transport, arguments: [String]
    ) async throws {
        let (kiosk, server) = try await HookTests.kiosk(transport, arguments)
        defer { withExtendedLifetime(server) {} }
        for turn in 0..<3 {
            try await kiosk.load(transport.url("/"))
            let count = kiosk.eventCount
            _ = try await kiosk.evaluate(
                """
                addEventListener('pagehide', () => {
                  navigator.sendBeacon('/online/note?key=text\(turn)', 'beacon');
                  navigator.sendBeacon('/online/note?key=bytes\(turn)', new TextEncoder().encode('bytes'));
                  navigator.sendBeacon('/online/note?key=empty\(turn)');
                  fetch('/online/note?key=fetch\(turn)', { method: 'POST', body: 'kept', keepalive: true }).catch(() => {});
                });
                const leave = () => setTimeout(() => { location.href = '/pages/second.html'; }, 50);
                // A page that has not been shown is not hidden either (HTML, "unload a document": page showing), and the engine says
                // "finished" before the page has its `load`.
                if (document.readyState === 'complete') leave(); else addEventListener('load', leave);
                """)
            try await kiosk.event("finished", after: count) {
                $0["url"] == .string(transport.url("/pages/second.html"))
            }
        }
        let expected = (0..<3).flatMap {
            ["POST text\($0) beacon", "POST bytes\($0) bytes", "POST empty\($0) ", "POST fetch\($0) kept"]
        }
        var came: Set<String> = []
        for _ in 0..<100 where !came.isSuperset(of: expected) {
            let text = try await kiosk.evaluate("return await (await fetch('/online/notes')).text()") as? String ?? ""
            came = Set(text.components(separatedBy: "\n"))
            try await Task.sleep(for: .milliseconds(50))
        }
        let missing = Set(expected).subtracting(came)
        if !missing.isEmpty {
            let (hook, report) = (try await kiosk.send("hook"), try await kiosk.send("report"))
            let events = kiosk.names(after: 0, before: kiosk.eventCount)
            Issue.record(
                """
                \(transport) \(arguments): \(missing) did not come
                \(hook) \(report)
                \(events)
                \(kiosk.saidErrors)
                """)
        }
    }

    /// 80 MiB: more than the hook hands over, and more than the proxy once took.
    private static let upload = """
        const body = new Blob([new Uint8Array(80 << 20), 'end']);
        const said = await fetch('/online/sink', { method: 'POST', body }).then(answer => answer.text(), String);
        const xhr = await new Promise(done => {
          const x = new XMLHttpRequest();
          let sent = 0;
          x.upload.onprogress = event => { sent = event.loaded; };
          for (const type of ['load', 'error', 'abort', 'timeout']) x['on' + type] = () => done([type, x.responseText, sent].join('|'));
          x.open('PUT', '/online/sink');
          x.send(body);
        });
        return { said, xhr };
        """

    @Test
    func `through the proxy a body of any size reaches the service, in little memory`() async throws {
        let (kiosk, server) = try await HookTests.kiosk(.proxy, [])
        defer { withExtendedLifetime(server) {} }
        let before = try kiosk.resources()
        let values = try #require(try await kiosk.evaluate(Self.upload) as? [String: String])
        let size = (80 << 20) + 3
        #expect(values["said"]?.hasPrefix("\(size) end ") == true, "\(values)")
        #expect(values["xhr"]?.hasPrefix("load|\(size) end ") == true && values["xhr"]?.hasSuffix("|\(size)") == true)
        let after = try kiosk.resources()
        #expect(after.bytes < before.bytes + (40 << 20), "\(before), then \(after)")
    }

    @Test(arguments: [["--hook", "bodies"], ["--hook", "full"]])
    func `under a scheme the page is told that a body is too large`(arguments: [String]) async throws {
        let (kiosk, server) = try await HookTests.kiosk(.scheme, arguments)
        defer { withExtendedLifetime(server) {} }
        let values = try #require(try await kiosk.evaluate(Self.upload) as? [String: String])
        let size = (80 << 20) + 3
        #expect(
            values["said"] == "TypeError: packtool: the body has \(size) bytes, at most \(64 << 20) can be handed over")
        #expect(values["xhr"]?.hasPrefix("error||") == true, "\(values)")
        let stream = try await kiosk.evaluate(
            """
            let left = 70;
            const body = new ReadableStream({ pull(c) { left-- ? c.enqueue(new Uint8Array(1 << 20)) : c.close(); } });
            return await fetch('/online/sink', { method: 'POST', body, duplex: 'half' }).then(() => 'sent', String);
            """)
        #expect((stream as? String)?.contains("at most \(64 << 20) can be handed over") == true, "\(stream)")
        #expect(try await kiosk.send("hook").contains(#""bodies":0"#))
    }
}
