import Foundation
import PackJSON
import TestSupport
import Testing

/// The page hook in the real WebKitGTK, whose scheme handlers get no bodies and keep no cookies.
@Suite(.serialized)
struct HookTests {
    /// A kiosk whose registry's server is also a service of the package's own origin.
    static func kiosk(_ transport: Transport, _ arguments: [String]) async throws -> (RunningKiosk, EchoServer) {
        let bench = try Bench(KioskSite.files())
        let server = try EchoServer(serving: bench.folder.appendingPathComponent(".packtool/registry/view"))
        try Data(#"{"format": 1, "rules": [], "api": {"/online/": "\#(server.address)/"}}"#.utf8)
            .write(to: bench.folder.appendingPathComponent("rules.json"))
        let place = String(server.address.dropFirst("http://".count))
        let given = ["--registry", server.address, "--rules", "rules.json", "--loopback", place] + arguments
        return (try await RunningKiosk(bench, transport, given), server)
    }

    /// Nothing that the hook handed over is left, and no request came without the body that it announced.
    private func expectNothingLeft(_ kiosk: RunningKiosk) async throws {
        let text = try await kiosk.send("hook")
        let state = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Int] ?? [:]
        #expect(state["bodies"] == 0 && state["bytes"] == 0 && state["calls"] == 0 && state["lost"] == 0, "\(text)")
    }

    @Test
    func `with the hook a scheme's requests keep bodies of every kind, byte for byte`() async throws {
        let (kiosk, server) = try await Self.kiosk(.scheme, [])
        defer { withExtendedLifetime(server) {} }
        try await sendBodies(from: kiosk, to: "/online/mirror")
        try await expectNothingLeft(kiosk)
        let log = try await kiosk.send("report")
        #expect(log.contains("h5pack:\\/\\/shop\\/online\\/mirror") && !log.contains("packtool-body"))
    }

    @Test(arguments: Transport.allCases)
    func `with full hand-over the app sends bodies of every kind, byte for byte`(transport: Transport) async throws {
        let (kiosk, server) = try await Self.kiosk(transport, ["--hook", "full"])
        try await sendBodies(from: kiosk, to: "\(server.address)/mirror")
        try await expectNothingLeft(kiosk)
        if Bench.isLong {
            // What leaks comes on top each time; what the allocator keeps has gone back to the system after a minute.
            try await Task.sleep(for: .seconds(70))
            let first = try kiosk.resources()
            try await sendBodies(from: kiosk, to: "\(server.address)/mirror")
            try await Task.sleep(for: .seconds(70))
            let second = try kiosk.resources()
            print("\(transport), the same bodies twice, a minute after each: \(first), then \(second)")
            #expect(second.bytes <= first.bytes + 40_000_000, "\(first), then \(second)")
        }
        #expect(try await kiosk.send("report").contains("\"reason\":\"foreign\""))
    }

    /// 200 times 50 MB in the long sweep. Each load has a body too, and the page gives up while it is sent, or after some of
    /// the answer.
    @Test(arguments: Transport.allCases)
    func `large loads that the app performs are given up again and again, and nothing of them is left`(
        transport: Transport
    ) async throws {
        let (kiosk, server) = try await Self.kiosk(transport, ["--hook", "full"])
        let (rounds, size) = Bench.isLong ? (200, 50_000_000) : (6, 5_000_000)
        func giveUp(_ rounds: Int) async throws {
            let found = try await kiosk.evaluate(
                """
                const [size, body] = [\(size), new Blob([new Uint8Array(300000)])];
                const wrong = [];
                let seen = 0;
                for (let i = 0; i < \(rounds); i++) {
                  const control = new AbortController();
                  const answer = fetch(`\(server.address)/pour?n=${size}&i=${i}`, { method: 'POST', body, signal: control.signal });
                  const enough = i % 5 === 0 ? 0 : (i * 7919 % 20 + 1) * size / 50;
                  if (i % 5 === 0) setTimeout(() => control.abort(), i % 7);
                  try {
                    const reader = (await answer).body.getReader();
                    for (let got = 0; ;) {
                      const { value, done } = await reader.read();
                      if (done) { wrong.push(`ended at ${got}`); break; }
                      got += value.length;
                      seen += value.length;
                      if (value.some(byte => byte !== 0)) wrong.push('a wrong byte');
                      if (enough && got >= enough) control.abort();
                    }
                  } catch (error) { if (error.name !== 'AbortError') wrong.push(String(error)); }
                }
                return { wrong, seen };
                """)
            let values = try #require(found as? [String: Any])
            #expect(values["wrong"] as? [String] == [])
            #expect(values["seen"] as? Int ?? 0 > size / 50 * rounds / 2)
        }
        // What is made once is made before the first count.
        try await giveUp(Bench.isLong ? 20 : 3)
        let before = try kiosk.resources()
        try await giveUp(rounds)
        var after = try kiosk.resources()
        for _ in 0..<200 where after.files > before.files + 4 {
            try await Task.sleep(for: .milliseconds(50))
            after = try kiosk.resources()
        }
        try await expectNothingLeft(kiosk)
        if Bench.isLong {
            print("\(transport), \(rounds) loads of \(size) bytes given up: \(before) before, \(after) after")
        }
        #expect(after.files <= before.files + 4)
        // The network is not slowed down by the page on Linux, so some loads' bytes may lie in the heap.
        #expect(after.bytes <= before.bytes + 60_000_000 + 5 * size, "\(before), then \(after)")
        let whole = try await kiosk.evaluate(
            """
            const answer = await fetch('\(server.address)/bytes?n=3000000', { method: 'POST', body: 'b' });
            const bytes = new Uint8Array(await answer.arrayBuffer());
            return [bytes.length, bytes.filter((byte, i) => byte !== i * 31 % 251).length];
            """)
        #expect(whole as? [Int] == [3_000_000, 0])
    }

    @Test(arguments: [["--hook", "bodies"], ["--hook", "full"]])
    func `streams, synchronous requests, forms and aborts work under a scheme`(strategy: [String]) async throws {
        let (kiosk, server) = try await Self.kiosk(.scheme, strategy)
        defer { withExtendedLifetime(server) {} }
        let found = try await kiosk.evaluate(
            """
            const sync = body => {
              const x = new XMLHttpRequest();
              x.open('POST', '/online/mirror', false);
              x.send(body);
              return x.responseText;
            };
            const said = async answer => new TextDecoder().decode(await (await answer).arrayBuffer());
            const request = new Request('/online/mirror', { method: 'PUT', body: new Blob(['in a ', 'Request']) });
            const stop = new AbortController();
            const aborted = fetch('/online/echo', { method: 'POST', body: new Blob(['x'.repeat(100000)]), signal: stop.signal })
              .catch(error => error.name);
            stop.abort();
            const events = [];
            await new Promise(done => {
              const x = new XMLHttpRequest();
              for (const type of ['loadstart', 'load', 'abort', 'error', 'timeout']) x.addEventListener(type, () => events.push(type));
              x.onloadend = done;
              x.open('POST', '/online/mirror');
              x.send(new Blob(['events']));
            });
            let stream = 'unsupported';
            try {
              const source = new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode('by stream')); c.close(); } });
              stream = await said(fetch('/online/mirror', { method: 'POST', body: source, duplex: 'half' }));
            } catch (error) { stream = String(error); }
            return {
              text: sync('synchronous ä'), blob: sync(new Blob(['synchronous Blob'])), request: await said(fetch(request)),
              clone: await said(fetch(new Request('/online/mirror', { method: 'POST', body: 'cloned' }).clone())),
              aborted: await aborted, events: events.join(), stream,
              empty: (await (await fetch('/online/echo', { method: 'POST' })).json()).body,
            };
            """)
        let values = try #require(found as? [String: Any])
        #expect(values["text"] as? String == "synchronous ä")
        #expect(values["blob"] as? String == "synchronous Blob")
        #expect(values["request"] as? String == "in a Request")
        #expect(values["clone"] as? String == "cloned")
        #expect(values["aborted"] as? String == "AbortError")
        #expect(values["events"] as? String == "loadstart,load")
        #expect(values["stream"] as? String == "by stream")
        #expect(values["empty"] as? String == "")
        // A form leads to another page, whose address has no tag.
        let count = kiosk.eventCount
        _ = try await kiosk.evaluate(
            """
            const form = document.createElement('form');
            form.method = 'post'; form.enctype = 'multipart/form-data'; form.action = '/online/echo?by=form';
            const file = document.createElement('input');
            file.type = 'file'; file.name = 'file';
            const list = new DataTransfer();
            list.items.add(new File(['contents'], 'a.txt', { type: 'text/plain' }));
            file.files = list.files;
            const name = document.createElement('input');
            name.name = 'name'; name.value = 'ä';
            form.append(name, file);
            document.body.append(form);
            setTimeout(() => form.submit(), 0);
            """)
        try await kiosk.event("finished", after: count)
        let page = try #require(
            try await kiosk.evaluate("return { text: document.body.innerText, url: location.href }")
                as? [String: String])
        #expect(page["url"] == "h5pack://shop/online/echo?by=form")
        let echo = try JSONSerialization.jsonObject(with: Data(page["text", default: ""].utf8)) as? [String: Any]
        let body = try #require(echo?["body"] as? String)
        let sent = Data(
            stride(from: 0, to: body.count, by: 2).compactMap { UInt8(body.dropFirst($0).prefix(2), radix: 16) })
        let form = String(decoding: sent, as: UTF8.self)
        #expect(echo?["method"] as? String == "POST")
        #expect((echo?["path"] as? String)?.hasSuffix("/echo?by=form") == true)
        #expect(form.contains("name=\"name\"\r\n\r\nä\r\n"))
        #expect(form.contains("filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\ncontents\r\n"))
    }

    @Test(arguments: [["--hook", "bodies"], ["--hook", "full"]])
    func `under a scheme document-cookie is the app's store, and the package's server sets and gets its cookies`(
        strategy: [String]
    ) async throws {
        let (kiosk, server) = try await Self.kiosk(.scheme, strategy)
        defer { withExtendedLifetime(server) {} }
        let found = try await kiosk.evaluate(
            """
            document.cookie = 'plain=1; path=/'; document.cookie = 'gone=1'; document.cookie = 'gone=; max-age=0';
            const set = async lines => (await fetch('/online/cookies?set=' + encodeURIComponent(lines))).text();
            await set('hidden=2; HttpOnly|third=3');
            const again = await set('');
            await set('third=; max-age=0');
            return { cookie: document.cookie, again: again.split('; ').sort().join(), later: await set('') };
            """)
        let values = try #require(found as? [String: Any])
        #expect(values["cookie"] as? String == "plain=1")
        // The page's host and its service are one site: what a script sets reaches the service.
        #expect(values["again"] as? String == "hidden=2,plain=1,third=3")
        #expect((values["later"] as? String)?.split(separator: "; ").sorted() == ["hidden=2", "plain=1"])
    }

    /// `shop` is on the list of public suffixes, like `app` and `store`: WebKit's own store takes no cookie of it.
    @Test
    func `under a scheme a cookie is still there after pages that WebKit's store knows nothing of`() async throws {
        let (kiosk, server) = try await Self.kiosk(.scheme, [])
        defer { withExtendedLifetime(server) {} }
        _ = try await kiosk.evaluate(
            """
            document.cookie = 'login=1; path=/; max-age=3600';
            await fetch('/online/cookies?set=' + encodeURIComponent('hidden=2; HttpOnly; Path=/'));
            """)
        for page in ["/pages/second.html", "/", "/pages/second.html"] {
            try await kiosk.load(Transport.scheme.url(page))
            #expect(try await kiosk.evaluate("return document.cookie") as? String == "login=1", "\(page)")
            let sent = try await kiosk.evaluate("return await (await fetch('/online/cookies')).text()") as? String
            #expect(sent?.split(separator: "; ").sorted() == ["hidden=2", "login=1"], "\(page)")
        }
    }

    @Test(arguments: Transport.allCases)
    func `a page that its server sends to another origin is that origin's`(
        transport: Transport
    ) async throws {
        let (kiosk, server) = try await Self.kiosk(transport, [])
        defer { withExtendedLifetime(server) {} }
        let other = try EchoServer()
        let to = "\(other.address)/text?body=%3Ctitle%3Ethere%3C%2Ftitle%3E"
        let query = try #require(to.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let count = kiosk.eventCount
        try await kiosk.send("load", ["url": transport.url("/online/redirect?to=\(query)")])
        try await kiosk.event("finished", after: count) { $0["url"] == .string(to) }
        let found = try await kiosk.evaluate(
            "return { title: document.title, origin: location.origin, hook: typeof packtool, length: history.length }")
        let values = try #require(found as? [String: Any])
        #expect(values["title"] as? String == "there")
        #expect(values["origin"] as? String == other.address)
        #expect(values["hook"] as? String == "undefined")
        #expect(values["length"] as? Int == 2)
    }

    @Test
    func `a frame of another origin has no hook and cannot speak for the page`() async throws {
        let bench = try Bench.shared()
        let server = try EchoServer(tlsIn: bench.folder)
        let certificate = "127.0.0.1=\(bench.folder.path)/echo.pem"
        let kiosk = try await RunningKiosk(bench, .scheme, "--certificate", certificate)
        let found = try await kiosk.evaluate(
            """
            const script = `
              const asked = prompt('packtool:1', '{"v":1,"type":"cookies"}');
              const handlers = Object.getOwnPropertyNames(webkit.messageHandlers).filter(name => name !== 'packtool');
              parent.postMessage({ hook: typeof packtool, asked, handlers: handlers.length, keys: Reflect.ownKeys(webkit.messageHandlers).length }, '*');`;
            const own = prompt('packtool:1', '{"v":1,"type":"cookies"}');
            const said = new Promise(done => addEventListener('message', event => done(event.data), { once: true }));
            const frame = document.createElement('iframe');
            frame.src = '\(server.address)/text?body=' + encodeURIComponent('<!doctype html><script>' + script + '</' + 'script>');
            document.body.append(frame);
            const inner = document.createElement('iframe');
            inner.src = 'pages/second.html';
            const loaded = new Promise(done => { inner.onload = done; });
            document.body.append(inner);
            await loaded;
            return { ...await said, own, inner: typeof inner.contentWindow.packtool, here: typeof packtool };
            """)
        let values = try #require(found as? [String: Any])
        #expect(values["hook"] as? String == "undefined")
        #expect(values["asked"] as? String ?? "" == "")
        #expect(values["own"] as? String ?? "" == "")
        #expect(values["handlers"] as? Int == 0)
        #expect(values["inner"] as? String == "object")
        #expect(values["here"] as? String == "object")
    }

    @Test
    func `the hook is switched while the kiosk runs, for the pages that start from then on`() async throws {
        let (kiosk, server) = try await Self.kiosk(.scheme, [])
        defer { withExtendedLifetime(server) {} }
        func strategy() async throws -> String? { try await kiosk.evaluate("return packtool.strategy") as? String }
        #expect(try await strategy() == "bodies")
        try await kiosk.send("setHook", ["strategy": "full"])
        #expect(try await strategy() == "bodies")
        try await kiosk.load(Transport.scheme.url("/pages/second.html"))
        #expect(try await strategy() == "full")
        try await sendBodies(from: kiosk, to: "\(server.address)/mirror")
        try await kiosk.send("setHook", ["strategy": "off"])
        try await kiosk.load(Transport.scheme.url("/"))
        #expect(try await strategy() == "off")
        await #expect(throws: KioskRefusal.self) { try await kiosk.send("setHook", ["strategy": "none"]) }
    }

    @Test
    func `a kiosk behind a proxy switches to no hook that would lose bodies there`() async throws {
        let kiosk = try await RunningKiosk(Bench.shared(), .proxy)
        await #expect(throws: KioskRefusal.self) { try await kiosk.send("setHook", ["strategy": "bodies"]) }
        try await kiosk.send("setHook", ["strategy": "full"])
        try await kiosk.load(Transport.proxy.url("/pages/second.html"))
        #expect(try await kiosk.evaluate("return packtool.strategy") as? String == "full")
    }

    @Test(arguments: Transport.allCases)
    func `a page confirms its version, and one that has been left cannot`(transport: Transport) async throws {
        let kiosk = try await RunningKiosk(Bench(KioskSite.files()), transport, "--ready", "page")
        #expect(try await kiosk.send("version") == "\"1.0.0\"")
        #expect(try await kiosk.evaluate("return packtool.confirm()") as? Bool == true)
        let ready = try await kiosk.event("ready")
        #expect(ready["version"] == .string("1.0.0"))
    }
}
