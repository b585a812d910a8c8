import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A whole site under `https://shop.package` in a real Chromium, answered by the device.
@Suite(.serialized)
struct SiteTests {
    private struct Report: Decodable {
        struct Bodies: Decodable {
            let wrong: [String]
            let total: Int
            let count: Int
        }
        let visits: [String]
        let bodies: Bodies
    }

    private struct Stopped: Decodable {
        let wrong: [String]
        let turns: Int
        let bytesSeen: Int
    }

    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"

    /// The files of `Tests/WebScripts/site`, and those that are made.
    private func files() throws -> [String: Data] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("WebScripts/site")
        var files: [String: Data] = [
            "film.wav": film(seconds: 30), "sum.wasm": try #require(Data(base64Encoded: Self.sum)),
        ]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            if let data = FileManager.default.contents(atPath: folder.appendingPathComponent(path).path) {
                files[path] = data
            }
        }
        let fonts = "/usr/share/fonts"
        let font = try #require(
            FileManager.default.enumerator(atPath: fonts)?.compactMap { $0 as? String }.first { $0.hasSuffix(".ttf") },
            "no font is installed")
        files["test.ttf"] = FileManager.default.contents(atPath: "\(fonts)/\(font)")
        return files
    }

    /// Silence that can be sought in: 8-bit samples, 8000 a second.
    private func large(_ size: Int) -> Data {
        let block = Data((0..<251).map { UInt8($0 * 31 % 251) })
        var data = Data()
        while data.count < size { data += data.isEmpty ? block : data }
        return data.prefix(size)
    }

    private func film(seconds: Int) -> Data {
        func word(_ value: Int, _ size: Int) -> Data { Data((0..<size).map { UInt8(value >> (8 * $0) & 255) }) }
        let count = seconds * 8000
        var data =
            Data("RIFF".utf8) + word(36 + count, 4) + Data("WAVEfmt ".utf8) + word(16, 4) + word(1, 2) + word(1, 2)
        data += word(8000, 4) + word(8000, 4) + word(1, 2) + word(8, 2) + Data("data".utf8) + word(count, 4)
        return data + Data(repeating: 128, count: count)
    }

    /// `(module (func (export "sum") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))`
    private static let sum = "AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA3N1bQAACgkBBwAgACABags="

    @Test(arguments: [PageHook.Strategy.off, .bodies, .full])
    func `a site of many pages works as it does on a server, and every body arrives`(strategy: PageHook.Strategy)
        async throws
    {
        let bench = try await Bench()
        let store = try TestStore()
        let catalog = TestCatalog(try store.content("shop", data: files()))
        let device = try await DeviceServer(catalog, echoPort: bench.echoPort)
        try await bench.route(["shop.package": device.port])
        if strategy != .off { try await bench.route(["echo.test": device.port]) }
        let (count, largest) = Self.isLong && strategy != .off ? (100, 20 << 20) : (4, 300_000)
        let hook = PageHook(strategy: strategy, transport: .messageHandler("packtool"))
        let text = try await bench.run(
            "https://shop.package/?count=\(count)&largest=\(largest)", script: hook.script,
            timeout: Self.isLong ? 3000 : 120)
        let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        print("\(report.bodies.count) bodies of \(report.bodies.total) bytes in all, \(strategy)")
        let all = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let found = try #require(all["found"] as? [String: NSObject])
        let style = String(decoding: try #require(try files()["site.css"]), as: UTF8.self)
        let expected: [String: NSObject] = [
            "secure context": "https://shop.package" as NSString,
            "ES modules": "a part and https://shop.package/js/module.mjs" as NSString,
            "a module on demand": "a part" as NSString, "style": "rgb(1, 2, 3)" as NSString, "font": 1 as NSNumber,
            "wasm": 42 as NSNumber, "worker": [42, "/js/worker.js", style] as NSArray,
            "module worker": "a part" as NSString, "seeking": [30, [25, 3, 28]] as NSArray,
            "a range": [206, "bytes 240040-240043/240044", 4] as NSArray,
            "a file that is not there": 404 as NSNumber, "cookies": "site=1" as NSString,
            "storage": ["1", "s"] as NSArray,
        ]
        for (name, value) in expected.sorted(by: { $0.key < $1.key }) {
            #expect(
                found[name] == value, "\(strategy): \(name): \(found[name].map(String.init(describing:)) ?? "nothing")")
        }
        #expect(found.count == expected.count)
        #expect(report.bodies.wrong == [])
        #expect(report.bodies.count == count * 8 + min(count, 20))
        #expect(report.visits == ["first", "second", "first", "second"])
        #expect(device.bridge.callCount == 0)
        #expect(device.bridge.bodies.byteCount == 0)
        #expect(device.bridge.bodies.counts.lost == 0)
        device.stop()
        await bench.close()
    }

    @Test(arguments: [PageHook.Strategy.off, .bodies, .full])
    func `large loads are stopped on their way in every manner, and nothing of them is left`(
        strategy: PageHook.Strategy
    ) async throws {
        let (turns, size) = Self.isLong ? (200, 50_000_000) : (10, 3_000_000)
        let bench = try await Bench()
        let store = try TestStore()
        var files = try files()
        files["large.bin"] = large(size)
        let device = try await DeviceServer(
            TestCatalog(try store.content("shop", data: files)), echoPort: bench.echoPort)
        try await bench.route(["shop.package": device.port, "echo.test": device.port])
        let hook = PageHook(strategy: strategy, transport: .messageHandler("packtool"))
        func stop(_ turns: Int) async throws {
            // Without the hook a body is lost, and with it the request.
            let online = strategy == .off ? "" : "&online"
            let text = try await bench.run(
                "https://shop.package/stop.html?turns=\(turns)&size=\(size)\(online)", script: hook.script,
                timeout: Self.isLong ? 1500 : 120)
            let report = try JSONDecoder().decode(Stopped.self, from: Data(text.utf8))
            #expect(report.wrong == [])
            #expect(report.turns == turns)
            #expect(report.bytesSeen > size)
            for _ in 0..<400 where device.runningCount > 0 || device.bridge.callCount > 0 {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(device.runningCount == 0)
            #expect(device.bridge.callCount == 0)
            #expect(device.bridge.bodies.byteCount == 0)
        }
        // What a process needs once, it has after the first page.
        try await stop(Self.isLong ? 20 : 5)
        let before = ProcessUse.now()
        try await stop(turns)
        let after = ProcessUse.now()
        print("stopped \(turns) loads of \(size) bytes, \(strategy): \(before) before, \(after) after")
        #expect(before.megabytes > 0)
        #expect(after.descriptors <= before.descriptors + 16, "\(before), then \(after)")
        // What is online is not slowed down by the reader on Linux, so some loads' bytes may lie in the heap.
        #expect(after.megabytes <= before.megabytes + 60 + 5 * size / 1_000_000, "\(before), then \(after)")
        device.stop()
        await bench.close()
    }

    @Test func `document-cookie is the app's store, and HttpOnly is never shown`() async throws {
        let bench = try await Bench()
        let store = try TestStore()
        let page = """
            <script>
            document.cookie = "a=1; Path=/";
            document.cookie = "b=2; Path=/elsewhere";
            document.cookie = "c=3; HttpOnly";
            document.cookie = "secret=overwritten; Path=/";
            const first = document.cookie;
            document.cookie = "a=; Max-Age=0; Path=/";
            const second = document.cookie;
            const descriptor = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
            benchReport(JSON.stringify([first, second, typeof descriptor.get, descriptor.enumerable, Object.hasOwn(document, "cookie")]));
            </script>
            """
        let catalog = TestCatalog(try store.content("shop", data: ["index.html": Data(page.utf8)]))
        let native = MemoryCookieStore()
        let cookies = CookieKeeper(native: native)
        let address = try #require(URL(string: "https://shop.package/"))
        cookies.store(setCookie: "native=n; Path=/", from: address)
        cookies.store(setCookie: "secret=s; Path=/; HttpOnly", from: address)
        let device = try await DeviceServer(catalog, echoPort: bench.echoPort, cookies: cookies)
        try await bench.route(["shop.package": device.port])
        var hook = PageHook(strategy: .off, transport: .messageHandler("packtool"))
        hook.sharesCookies = true
        let text = try await bench.run("https://shop.package/", script: hook.script)
        #expect(text == #"["native=n; a=1","native=n","function",true,false]"#)
        let left = Set(native.cookies().map { "\($0.name)=\($0.value) \($0.path)" })
        #expect(left == ["native=n /", "secret=s /", "b=2 /elsewhere"])
        device.stop()
        await bench.close()
    }
}
