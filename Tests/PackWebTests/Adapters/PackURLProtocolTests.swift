import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One after the other: a process has one mount.
@Suite(.serialized)
struct PackURLProtocolTests {
    private let store: TestStore
    private let catalog: TestCatalog
    private let pages: PageDirectory
    private let session: URLSession

    init() throws {
        store = try TestStore()
        catalog = TestCatalog(
            try store.content(origins: ["https://m.example.com/shop/"], ["index.html": "one", "big.bin": Self.big]))
        pages = PageDirectory(catalog)
        PackURLProtocol.mount(pages)
        let configuration = URLSessionConfiguration.ephemeral
        PackURLProtocol.inject(into: configuration)
        PackURLProtocol.inject(into: configuration)
        #expect(configuration.protocolClasses?.filter { $0 == PackURLProtocol.self }.count == 1)
        session = URLSession(configuration: configuration)
    }

    private static let big = String(repeating: "0123456789", count: FileReader.chunkSize / 5)

    private func request(_ text: String, method: String = "GET", body: Data? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = method
        request.httpBody = body
        return request
    }

    @Test func `a package's file is answered whole, as HTTP`() async throws {
        let (data, response) = try await session.data(for: request("https://shop.package/big.bin?x=1"))
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 200)
        #expect(http.url?.absoluteString == "https://shop.package/big.bin?x=1")
        #expect(http.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
        #expect(data == Data(Self.big.utf8))
        let (page, _) = try await session.data(for: request("https://m.example.com/shop/"))
        #expect(page == Data("one".utf8))
        #expect(
            try await (session.data(for: request("https://shop.package/none")).1 as? HTTPURLResponse)?.statusCode == 404
        )
    }

    @Test func `what is not a package's passes by untouched, with its body`() async throws {
        let server = try EchoServer()
        let (data, _) = try await session.data(
            for: request(server.address + "/x", method: "POST", body: Data([1, 2, 3])))
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: data)
        #expect(said.method == "POST")
        #expect(said.body == "010203")
        #expect(pages.lastReport == nil)
    }

    @Test func `only a request whose answer differs from the network's is taken`() throws {
        func takes(_ url: String, method: String = "GET") throws -> Bool {
            try PackURLProtocol.canInit(with: request(url, method: method))
        }
        #expect(try takes("https://shop.package/"))
        #expect(try takes("https://m.example.com/shop/"))
        #expect(try takes("https://nobody.package/"))
        #expect(try !takes("https://m.example.com/shop/api"))
        #expect(try !takes("https://m.example.com/shop/", method: "POST"))
        #expect(try !takes("https://evil.package.attacker.com/"))
        #expect(try !takes("https://example.com/"))
        #expect(pages.lastReport == nil)
    }

    @Test func `the web site gets the request, and the answer keeps the page's address`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/site/"]) }
        let (data, response) = try await session.data(
            for: request("https://late.package/a", method: "PUT", body: Data([9])))
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: data)
        #expect(said.path == "/site/a")
        #expect(said.body == "09")
        #expect(response.url?.absoluteString == "https://late.package/a")
    }

    @Test func `a conditional request of the page reaches the server, and its 304 the page`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let (_, response) = try await session.data(for: request("https://late.package/status?code=304"))
        #expect((response as? HTTPURLResponse)?.statusCode == 304)
        var conditional = try request("https://late.package/x")
        conditional.setValue("\"e\"", forHTTPHeaderField: "If-None-Match")
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: await session.data(for: conditional).0)
        #expect(said.headers["if-none-match"] == "\"e\"")
        let unconditional = try await session.data(for: request("https://late.package/x")).0
        #expect(try JSONDecoder().decode(EchoServer.Said.self, from: unconditional).headers["if-none-match"] == nil)
    }

    /// What Apple's systems do between a web view and a protocol.
    @Test func `where the system drops bodies, the page's comes back by its id, whichever host it goes to`()
        async throws
    {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/site/"]) }
        let (bodies, online) = (BodyStore(), NetworkLoader())
        let pages = pages
        let bridge = PageBridge(pages: { pages.page(for: $0) }, online: online, bodies: bodies)
        PackURLProtocol.mount(pages, online: online, bodies: bodies)
        for (number, (address, path)) in [("https://late.package", "/site/x"), (server.address, "/x")].enumerated() {
            let id = String(repeating: "ab", count: 16) + ".\(number)"
            let reply = await bridge.reply(
                to:
                    #"{"v":1,"type":"body","id":"\#(id)","purpose":"request","body":{"kind":"bytes","size":3,"data":"AQID"}}"#,
                from: PageBridge.Sender(origin: "https://shop.package"))
            #expect(reply == "{}")
            var stripped = try request(address + "/x?a=1&packtool-body=\(id)", method: "POST")
            stripped.setValue("application/x-probe", forHTTPHeaderField: "Content-Type")
            #expect(PackURLProtocol.canInit(with: stripped))
            let (data, _) = try await session.data(for: stripped)
            let said = try JSONDecoder().decode(EchoServer.Said.self, from: data)
            #expect(said.body == "010203")
            #expect(said.path == path + "?a=1")
            #expect(said.headers["content-type"] == "application/x-probe")
        }
        #expect(bodies.count == 0)
        #expect(bodies.counts.restored == 2)
    }

    @Test func `a cancelled request ends with the cancellation`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let session = session
        let slow = try request("https://late.package/slow")
        let task = Task { try await session.data(for: slow) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test func `many requests at once each get their own bytes`() async throws {
        let server = try EchoServer()
        let late = try PackageID("late")
        catalog.change { $0.packages[late] = WebSettings.Package(origins: [server.address + "/"]) }
        let session = session
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let request = try request("https://late.package/bytes?n=\(number * 1000)")
                group.addTask {
                    let (data, _) = try await session.data(for: request)
                    #expect(data == Data((0..<(number * 1000)).map { UInt8($0 * 31 % 251) }))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `the page that a request names keeps its version`() async throws {
        var page = try request("https://shop.package/")
        page.setValue("document", forHTTPHeaderField: "Sec-Fetch-Dest")
        #expect(try await session.data(for: page).0 == Data("one".utf8))
        catalog.install(try store.content("shop", "2.0.0", ["index.html": "two", "big.bin": "2"]))
        var part = try request("https://shop.package/big.bin")
        part.setValue("https://shop.package/", forHTTPHeaderField: "Referer")
        part.setValue("script", forHTTPHeaderField: "Sec-Fetch-Dest")
        #expect(try await session.data(for: part).0.count == Self.big.utf8.count)
        #expect(try await session.data(for: page).0 == Data("two".utf8))
    }

    @Test func `one protocol restores a body that was handed over and answers packages`() async throws {
        let server = try EchoServer()
        let bodies = BodyStore()
        PackURLProtocol.mount(pages, bodies: bodies)
        let page = HookPage()
        let bridge = HookPage.bridge(bodies: bodies)
        let bytes = Data((0..<3000).map { UInt8($0 * 7 & 255) })
        _ = await page.send(bridge, page.body(page.id(1), bytes))
        var post = try request("\(server.address)/x?a=%22&packtool-body=\(page.id(1))", method: "POST")
        post.setValue("a/b", forHTTPHeaderField: "Content-Type")
        #expect(PackURLProtocol.canInit(with: post))
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: await session.data(for: post).0)
        #expect(said.path == "/x?a=%22")
        #expect(said.body == bytes.map { String(format: "%02x", $0) }.joined())
        #expect(said.headers["content-type"] == "a/b")
        // The address that the page means decides, whatever its tag: here the package's.
        _ = await page.send(bridge, page.body(page.id(2), bytes))
        let toPackage = try request("https://shop.package/?packtool-body=\(page.id(2))", method: "POST")
        #expect(try await (session.data(for: toPackage).1 as? HTTPURLResponse)?.statusCode == 405)
        #expect(bodies.counts.restored == 2)
        // Nobody handed this one over: nothing is sent.
        let lost = try request("\(server.address)/x?packtool-body=\(page.id(2))", method: "POST")
        await #expect(throws: (any Error).self) { try await session.data(for: lost) }
        #expect(bodies.counts.lost == 1)
    }

    @Test func `it is asked before another protocol, in whatever order the two were put in`() async throws {
        for order in [[AnyRequest.self], [AnyRequest.self, PackURLProtocol.self]] as [[AnyClass]] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = order
            PackURLProtocol.inject(into: configuration)
            let session = URLSession(configuration: configuration)
            #expect(try await session.data(for: request("https://shop.package/")).0 == Data("one".utf8))
            #expect(try await session.data(for: request("https://example.com/")).0 == Data("another".utf8))
            session.finishTasksAndInvalidate()
        }
    }

    @Test func `URLSession.shared and sessions without it are left alone`() async throws {
        let page = try request("https://shop.package/")
        #expect(try await session.data(for: page).0 == Data("one".utf8))
        let bare = URLSession(configuration: .ephemeral)
        defer { bare.finishTasksAndInvalidate() }
        // For the network there is no such host.
        for other in [URLSession.shared, bare] {
            await #expect(throws: URLError.self) { try await other.data(for: page) }
        }
    }

    /// An app may give a configuration that has our class already, and one package's web site may be another package's.
    @Test func `what goes online is not caught again`() async throws {
        let wiki = try PackageID("wiki")
        catalog.change { $0.packages[wiki] = WebSettings.Package(origins: ["https://m.example.com/shop/"]) }
        let configuration = URLSessionConfiguration.ephemeral
        PackURLProtocol.inject(into: configuration)
        PackURLProtocol.mount(pages, online: NetworkLoader(configuration))
        #expect(try await session.data(for: request("https://m.example.com/shop/")).0 == Data("one".utf8))
        // It asks the network, where there is no such site.
        await #expect(throws: URLError.self) { try await session.data(for: request("https://wiki.package/")) }
    }
}

/// Takes whatever it is asked.
private final class AnyRequest: URLProtocol {
    override static func canInit(with request: URLRequest) -> Bool { true }

    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("another".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
