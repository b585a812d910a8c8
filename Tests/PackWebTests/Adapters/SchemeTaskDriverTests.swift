import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct SchemeTaskDriverTests {
    private let catalog: TestCatalog
    private let film: String
    private let store: TestStore

    init() throws {
        store = try TestStore()
        film = String(repeating: "0123456789abcdef", count: FileReader.chunkSize / 4)
        catalog = TestCatalog(try store.content("shop", "1.0.0", ["index.html": "<h1>", "film.mp4": film]))
    }

    private func request(_ text: String, method: String = "GET", _ headers: [String: String] = [:]) throws -> URLRequest
    {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func driver(_ place: CallbackPlace = .inPlace) -> SchemeTaskDriver {
        SchemeTaskDriver(page: PageSession(catalog), online: NetworkLoader(), place: place)
    }

    /// A place of its own, one call after the other, as a web view's main thread.
    private func mainThread() -> (CallbackPlace, DispatchQueue) {
        let queue = DispatchQueue(label: "main")
        return (CallbackPlace { work in queue.async(execute: DispatchWorkItem { work() }) }, queue)
    }

    @Test func `a task gets its response, its data in chunks and its end`() async throws {
        let driver = driver()
        let task = TrappingSchemeTask()
        driver.start(task, request: try request("h5pack://shop/film.mp4"))
        #expect(await eventually { task.hasEnded })
        #expect(task.head?.status == 200)
        #expect(task.data == Data(film.utf8))
        #expect(task.traps.isEmpty)
        #expect(await eventually { driver.runningCount == 0 })
    }

    @Test func `a range, a missing file and a foreign host each end as they should`() async throws {
        let driver = driver()
        let range = TrappingSchemeTask()
        driver.start(range, request: try request("h5pack://shop/film.mp4", ["Range": "bytes=-5"]))
        let missing = TrappingSchemeTask()
        driver.start(missing, request: try request("h5pack://shop/nothing"))
        let unknown = TrappingSchemeTask()
        driver.start(unknown, request: try request("h5pack://nobody/"))
        #expect(await eventually { range.hasEnded && missing.hasEnded && unknown.hasEnded })
        #expect(range.head?.status == 206)
        #expect(range.data == Data("bcdef".utf8))
        #expect(missing.head?.status == 404)
        #expect(unknown.head?.status == 404)
        #expect([range, missing, unknown].allSatisfy { $0.traps.isEmpty && $0.error == nil })
    }

    @Test func `an uncached request goes online with its method, headers and body`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/site/"]) }
        let driver = driver()
        let task = TrappingSchemeTask()
        var post = try request("h5pack://late/api?x=1", method: "PUT", ["X-Mine": "1", "Content-Type": "a/b"])
        post.httpBody = Data([0, 255, 10])
        driver.start(task, request: post)
        #expect(await eventually { task.hasEnded })
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: task.data)
        #expect(said.method == "PUT")
        #expect(said.path == "/site/api?x=1")
        #expect(said.body == "00ff0a")
        #expect(said.headers["x-mine"] == "1")
        #expect(task.traps.isEmpty)
    }

    /// Apple's engines give a body as data, as a stream only, or not at all; then the hook has handed it over.
    @Test(arguments: ["data", "stream", "hand-over", "hand-over beside a stream that is cut short"])
    func `a body arrives whole however the engine gives it`(way: String) async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let bytes = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let (bodies, page) = (BodyStore(), HookPage())
        let driver = SchemeTaskDriver(
            page: PageSession(catalog), online: NetworkLoader(), bodies: bodies, place: .inPlace)
        let tag = way.hasPrefix("hand-over") ? "?packtool-body=\(page.id(1))" : ""
        var post = try request("h5pack://late/mirror\(tag)", method: "POST", ["Content-Type": "a/b"])
        switch way {
        case "data": post.httpBody = bytes
        case "stream": post.httpBodyStream = InputStream(data: bytes)
        case "hand-over": break
        default: post.httpBodyStream = InputStream(data: bytes.prefix(1000))
        }
        if !tag.isEmpty {
            let bridge = HookPage.bridge(bodies: bodies)
            _ = await page.send(bridge, page.body(page.id(1), size: bytes.count))
            for (number, start) in stride(from: 0, to: bytes.count, by: 192 << 10).enumerated() {
                let chunk = Data(bytes[start..<min(start + 192 << 10, bytes.count)])
                _ = await page.send(bridge, page.chunk(page.id(1), number, chunk))
            }
        }
        let task = TrappingSchemeTask()
        driver.start(task, request: post)
        #expect(await eventually { task.hasEnded })
        #expect(task.error == nil)
        #expect(task.data.count == bytes.count)
        #expect(Digest(of: Array(task.data)) == Digest(of: Array(bytes)))
        #expect(task.head?.headers.first { $0.key.lowercased() == "x-type" }?.value == "a/b")
        #expect(task.traps.isEmpty)
    }

    @Test func `a request that announces a body and has none is an error and is not sent`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let task = TrappingSchemeTask()
        let driver = driver()
        driver.start(task, request: try request("h5pack://late/api", method: "POST", ["Content-Type": "a/b"]))
        #expect(await eventually { task.hasEnded })
        #expect(
            task.error as? WebError == .bodyLost(method: "POST", url: server.address + "/api"))
        let plain = TrappingSchemeTask()
        driver.start(plain, request: try request("h5pack://late/api", method: "POST"))
        #expect(await eventually { plain.hasEnded })
        #expect(plain.head?.status == 200)
    }

    @Test func `a redirect into a package is answered from the device`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let driver = driver()
        let task = TrappingSchemeTask()
        driver.start(task, request: try request("h5pack://late/redirect?to=https://shop.package/index.html"))
        #expect(await eventually { task.hasEnded })
        #expect(task.head?.status == 200)
        #expect(task.data == Data("<h1>".utf8))
        #expect(task.traps.isEmpty)
    }

    @Test(arguments: [
        ("GET", 302, "text/html,*/*;q=0.8", true, 302), ("GET", 308, "text/html", true, 308),
        ("POST", 303, "text/html", true, 303), ("POST", 307, "text/html", true, 307),
        ("HEAD", 302, "text/html", true, 302),
        ("GET", 302, "*/*", true, 200), ("GET", 302, "text/html", false, 200), ("GET", 302, nil, true, 200),
    ])
    func
        `a page that is sent to another origin goes there by itself; a part of a page, and one that stays, is followed`(
            method: String, status: Int, accept: String?, leaves: Bool, expected: Int
        ) async throws
    {
        let (server, other) = (try EchoServer(), try EchoServer())
        let late = try PackageID("late")
        catalog.change {
            $0.packages[late] = WebSettings.Package(origins: [server.address + "/"])
            $0.loopbackServices = [String(other.address.dropFirst("http://".count))]
        }
        let to = "\((leaves ? other : server).address)/text?body=there'%26%22"
        let encoded = try #require(to.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let (driver, task) = (driver(), TrappingSchemeTask())
        var asked = try request("h5pack://late/redirect?status=\(status)&to=\(encoded)", method: method)
        asked.setValue(accept, forHTTPHeaderField: "Accept")
        if method == "POST" { asked.httpBody = Data("b".utf8) }
        driver.start(task, request: asked)
        #expect(await eventually { task.hasEnded })
        #expect(task.head?.status == expected)
        #expect(task.traps.isEmpty)
        let text = String(decoding: task.data, as: UTF8.self)
        guard expected != 200 else {
            #expect(text == "there'&\"")
            return
        }
        #expect(task.head?.headers["location"] == to)
        #expect(task.head?.headers["content-type"] == "text/html; charset=utf-8")
        #expect(task.head?.headers["content-length"] == "\(task.data.count)" || method == "HEAD")
        #expect(text.contains("<a href=\"\(to)\">") == (method != "HEAD"))
        // What is to be sent again with its body is no page's to send.
        #expect(text.contains("http-equiv=\"refresh\" content=\"0;url=\(to)\"") == (method != "HEAD" && status != 307))
    }

    @Test func `a stop from inside a call is the last call`() async throws {
        for calls in 1...4 {
            let driver = driver()
            let task = TrappingSchemeTask()
            let count = Counter()
            task.onCall = { task in
                count.increment()
                if count.value == calls {
                    driver.stop(task)
                    task.markStopped()
                }
            }
            driver.start(task, request: try request("h5pack://shop/film.mp4"))
            #expect(await eventually { count.value >= calls })
            try await Task.sleep(for: .milliseconds(20))
            #expect(count.value == calls)
            #expect(task.traps.isEmpty)
            #expect(driver.runningCount == 0)
        }
    }

    @Test func `a stopped request to a slow server is cancelled and forgotten`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let driver = driver()
        let task = TrappingSchemeTask()
        driver.start(task, request: try request("h5pack://late/slow"))
        #expect(await eventually { task.head != nil })
        driver.stop(task)
        task.markStopped()
        #expect(driver.runningCount == 0)
        try await Task.sleep(for: .milliseconds(100))
        #expect(task.traps.isEmpty)
    }

    /// Real threads: each task is started and stopped from one thread and called back on another, at random moments.
    @Test(arguments: [false, true])
    func `random interleavings of start, stop and delivery never call a task out of order`(ownThread: Bool) async throws
    {
        let rounds = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1" ? 10_000 : 400
        let (place, queue) = mainThread()
        let driver = driver(ownThread ? place : .inPlace)
        let requests = [
            try request("h5pack://shop/"), try request("h5pack://shop/nothing"),
            try request("h5pack://shop/film.mp4"),
            try request("h5pack://shop/film.mp4", ["Range": "bytes=5-50"]), try request("h5pack://nobody/"),
        ]
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<(rounds / 4) {
                        let task = TrappingSchemeTask()
                        driver.start(task, request: requests[(worker + round) % requests.count])
                        let pause = Int.random(in: 0...3)
                        if pause == 1 { await Task.yield() }
                        if pause == 2 { try? await Task.sleep(for: .microseconds(Int.random(in: 0...400))) }
                        if pause == 3 { _ = await eventually { task.hasEnded } }
                        driver.stop(task)
                        task.markStopped()
                        await Task.yield()
                        #expect(task.traps.isEmpty)
                    }
                }
            }
        }
        queue.sync {}
        #expect(driver.runningCount == 0)
    }

    @Test func `a task that started twice is one task`() async throws {
        let (place, queue) = mainThread()
        let driver = driver(place)
        let task = TrappingSchemeTask()
        let film = try request("h5pack://shop/film.mp4")
        // Started twice from the engine's own thread, so that the first answer cannot end between the two.
        queue.sync {
            driver.start(task, request: film)
            driver.start(task, request: film)
        }
        #expect(await eventually { task.hasEnded })
        queue.sync {}
        #expect(task.traps.isEmpty)
    }

    @Test func `the page's report has the bytes that were handed over`() async throws {
        let page = PageSession(catalog)
        let driver = SchemeTaskDriver(page: page, online: NetworkLoader(), place: .inPlace)
        let task = TrappingSchemeTask()
        driver.start(task, request: try request("h5pack://shop/film.mp4"))
        #expect(await eventually { page.report.entries.first?.byteCount != nil })
        #expect(page.report.entries.first?.byteCount == film.utf8.count)
    }
}
