import Foundation
import PackJSON
import TestSupport
import Testing

/// The real WebKitGTK, with pages from the device.
@Suite(.serialized)
struct EngineTests {
    @Test(arguments: Transport.allCases)
    func `a site with modules, styles, a font, WebAssembly and a worker runs as on the web`(transport: Transport)
        async throws
    {
        let kiosk = try await RunningKiosk(Bench.shared(), transport)
        let found = try await kiosk.evaluate(
            """
            await document.fonts.load('30px Probe');
            const wasm = await WebAssembly.instantiateStreaming(fetch('add.wasm'));
            const worker = new Worker('worker.js');
            const answer = new Promise(done => { worker.onmessage = e => done(e.data); });
            worker.postMessage('asked');
            const missing = await fetch('nothing.json');
            return {
              module: window.moduleValue, later: (await window.later()).later, secure: isSecureContext,
              color: getComputedStyle(document.querySelector('h1')).color,
              font: [...document.fonts].map(f => f.status).join(), sum: wasm.instance.exports.add(40, 2),
              worker: await answer, missing: missing.status, json: (await (await fetch('/data.json')).json()).is,
              range: await (await fetch('data.json', { headers: { Range: 'bytes=2-3' } })).text(),
              origin: location.origin,
            };
            """)
        let values = try #require(found as? [String: Any])
        #expect(values["module"] as? String == "one")
        #expect(values["later"] as? String == "later one")
        #expect(values["secure"] as? Bool == true)
        #expect(values["color"] as? String == "rgb(1, 2, 3)")
        #expect(values["font"] as? String == "loaded")
        #expect(values["sum"] as? Int == 42)
        #expect(values["worker"] as? String == "asked {\"is\": \"one\"}")
        #expect(values["missing"] as? Int == 404)
        #expect(values["json"] as? String == "one")
        #expect(values["range"] as? String == "is")
        #expect(values["origin"] as? String == (transport == .proxy ? "https://shop.package" : "h5pack://shop"))
    }

    @Test(arguments: Transport.allCases)
    func `links, back and forward lead to the right pages`(transport: Transport) async throws {
        let kiosk = try await RunningKiosk(Bench.shared(), transport)
        var count = kiosk.eventCount
        _ = try await kiosk.evaluate("setTimeout(() => document.querySelector('#next').click(), 200)")
        try await kiosk.event("finished", after: count)
        #expect(
            try await kiosk.evaluate("return [document.title, window.second].join()") as? String == "second one,one")
        count = kiosk.eventCount
        try await kiosk.send("back")
        // A page that the engine kept is there once it is committed. Its load may be told as stopped.
        try await kiosk.event("committed", after: count)
        try await Self.see("one", in: kiosk)
        count = kiosk.eventCount
        try await kiosk.send("forward")
        try await kiosk.event("committed", after: count)
        try await Self.see("second one", in: kiosk)
    }

    /// Waits until the title on the screen is this one.
    private static func see(_ title: String, in kiosk: RunningKiosk) async throws {
        var seen: String?
        for _ in 0..<300 {
            seen = try await kiosk.evaluate("return document.title") as? String
            if seen == title { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("the title is \(seen ?? "none"), not \(title)")
    }

    @Test(arguments: Transport.allCases)
    func `bodies of every kind reach a server byte for byte`(transport: Transport) async throws {
        let bench = try Bench.shared()
        let server = try EchoServer(tlsIn: transport == .proxy ? bench.folder : nil)
        let certificate = "127.0.0.1=\(bench.folder.path)/echo.pem"
        let kiosk =
            transport == .proxy
            ? try await RunningKiosk(bench, transport, "--certificate", certificate)
            : try await RunningKiosk(bench, transport)
        try await sendBodies(from: kiosk, to: "\(server.address)/mirror")
    }

    @Test
    func `through the proxy a package has cookies, Blob bodies, beacons and a service worker`() async throws {
        let bench = try Bench.shared()
        let server = try EchoServer(tlsIn: bench.folder)
        let kiosk = try await RunningKiosk(
            bench, .proxy, "--certificate", "127.0.0.1=\(bench.folder.path)/echo.pem")
        let found = try await kiosk.evaluate(
            """
            document.cookie = 'plain=1'; document.cookie = 'gone=1'; document.cookie = 'gone=; max-age=0';
            const credentials = 'include';
            const url = '\(server.address)/cookies';
            await fetch(url + '?set=' + encodeURIComponent('hidden=2; HttpOnly; SameSite=None; Secure'), { credentials });
            const registration = await navigator.serviceWorker.register('sw.js');
            await navigator.serviceWorker.ready;
            if (!navigator.serviceWorker.controller)
              await new Promise(done => { navigator.serviceWorker.oncontrollerchange = done; });
            return {
              cookie: document.cookie, made: await (await fetch('/made')).text(),
              beacon: navigator.sendBeacon('/data.json', new Blob(['x'])),
              post: (await fetch('/data.json', { method: 'POST', body: new Blob(['x']) })).status,
            };
            """)
        let values = try #require(found as? [String: Any])
        #expect(values["cookie"] as? String == "plain=1")
        #expect(values["made"] as? String == "made by the worker")
        #expect(values["beacon"] as? Bool == true)
        #expect(values["post"] as? Int == 405)
    }

    /// By the proxy: WebKitGTK's media player does not read custom schemes. In a window: it loads nothing for a page
    /// that nobody can see.
    @Test
    func `sound is sought in by ranges`() async throws {
        let site = [
            "index.html": Data("<!doctype html><title>sound</title><link rel=\"icon\" href=\"data:,\">".utf8),
            "sound.wav": KioskSite.sound(seconds: 400),
        ]
        let kiosk = try await RunningKiosk(Bench(site), .proxy, inWindow: true)
        let found = try await kiosk.evaluate(
            """
            const sound = document.createElement('video');
            const when = name => new Promise((done, failed) => {
              sound.addEventListener(name, done, { once: true });
              sound.addEventListener('error', () => failed(new Error('media error ' + sound.error.code)), { once: true });
            });
            const loaded = when('loadedmetadata');
            sound.preload = 'metadata'; sound.src = 'sound.wav'; document.body.append(sound);
            await loaded;
            const places = [];
            for (const place of [390, 3, 200, 11]) {
              const sought = when('seeked');
              sound.currentTime = place;
              await sought;
              places.push(Math.round(sound.currentTime));
            }
            return { duration: Math.round(sound.duration), places };
            """)
        let values = try #require(found as? [String: Any])
        #expect(values["duration"] as? Int == 400)
        #expect(values["places"] as? [Int] == [390, 3, 200, 11])
        #expect(try await kiosk.send("report").contains("\"status\":206"))
    }
}
