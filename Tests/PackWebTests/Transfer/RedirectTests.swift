import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client that makes a redirect's next request itself, as an engine behind a server does.
struct RedirectTests {
    private let page = HookPage()
    private let echo: EchoServer
    private let bodies = BodyStore()
    private let online = NetworkLoader()

    init() throws {
        echo = try EchoServer()
    }

    private struct Answer {
        var head: TransferHead?
        var data = Data()
        var error: (any Error)?
    }

    private func send(
        _ method: String, _ address: String, comesBack: Bool = true, type: String? = "text/plain",
        catalog: TestCatalog = TestCatalog()
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        let (events, continuation) = AsyncStream<TransferEvent>.makeStream()
        let transfer = ResourceLoad(
            request, on: PageSession(catalog), online: online, bodies: bodies,
            redirects: .handed { _ in comesBack }, at: .inPlace
        ) { event in
            continuation.yield(event)
            switch event {
            case .finished, .failed: continuation.finish()
            case .response, .data: break
            }
        }
        transfer.start()
        var answer = Answer()
        for await event in events {
            switch event {
            case .response(let head): answer.head = head
            case .data(let data): answer.data += data
            case .failed(let error): answer.error = error
            case .finished: break
            }
        }
        return answer
    }

    private func location(_ answer: Answer) -> String? {
        answer.head?.headers.first { $0.key.lowercased() == "location" }?.value
    }

    private func hand(_ data: Data) async -> String {
        let id = page.id(Int.random(in: 1...1_000_000))
        _ = await page.send(HookPage.bridge(bodies: bodies), page.body(id, data))
        return id
    }

    @Test(arguments: [
        ("POST", 301, false), ("POST", 302, false), ("POST", 303, false), ("POST", 307, true), ("POST", 308, true),
        ("PUT", 301, true), ("PUT", 302, true), ("PUT", 303, false), ("DELETE", 307, true),
    ])
    func `the next request has the body again where the standard keeps it (Fetch 4.4)`(
        method: String, status: Int, isKept: Bool
    ) async throws {
        let data = Data((0..<3000).map { UInt8($0 * 7 & 255) })
        let id = await hand(data)
        let mirror = "\(echo.address)/mirror"
        let first = try await send(
            method, "\(echo.address)/redirect?status=\(status)&to=\(mirror)%3Fa=1%23part&packtool-body=\(id)")
        #expect(first.head?.status == status)
        #expect(String(decoding: first.data, as: UTF8.self) == "moved")
        let tag = "&packtool-body=\(id)"
        #expect(location(first) == "\(mirror)?a=1" + (isKept ? tag : "") + "#part")
        #expect(bodies.count == (isKept ? 1 : 0))
        guard isKept else { return }
        let second = try await send(method, "\(mirror)?a=1\(tag)")
        #expect(second.head?.status == 200)
        #expect(second.data == data)
        #expect(bodies.count == 0)
        #expect(bodies.counts.restored == 2)
        #expect(bodies.counts.lost == 0)
    }

    @Test func `a chain of hops carries one body along`() async throws {
        let id = await hand(Data("kept".utf8))
        let mirror = "\(echo.address)/mirror"
        let hop = "\(echo.address)/redirect?status=308&to="
        let last = try #require(mirror.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let inner = try #require((hop + last).addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        var address = "\(hop)\(inner)&packtool-body=\(id)"
        for _ in 0..<2 { address = try #require(location(try await send("POST", address))) }
        #expect(address == "\(mirror)?packtool-body=\(id)")
        #expect(try await send("POST", address).data == Data("kept".utf8))
        #expect(bodies.counts.restored == 3)
    }

    @Test func `an address that does not come back has no tag, and no body waits for it`() async throws {
        let id = await hand(Data("x".utf8))
        let to = "\(echo.address)/mirror"
        let answer = try await send(
            "POST", "\(echo.address)/redirect?status=307&to=\(to)&packtool-body=\(id)", comesBack: false)
        #expect(location(answer) == to)
        #expect(bodies.count == 0)
    }

    @Test func `a relative address is so to the page's own, not to the tagged one`() async throws {
        for to in ["mirror", "/mirror", "%3Fstatus=200"] {
            let id = await hand(Data("x".utf8))
            let answer = try await send(
                "POST", "\(echo.address)/redirect?status=303&to=\(to)&packtool-body=\(id)")
            let expected = to == "%3Fstatus=200" ? "/redirect?status=200" : "/mirror"
            #expect(location(answer) == echo.address + expected)
        }
    }

    @Test func `a page that leaves takes the body of the hop along`() async throws {
        let id = await hand(Data("x".utf8))
        _ = try await send(
            "POST", "\(echo.address)/redirect?status=307&to=\(echo.address)/mirror&packtool-body=\(id)")
        #expect(bodies.count == 1)
        _ = await page.send(
            HookPage.bridge(bodies: bodies), #"{"v":1,"type":"leave","nonce":"\#(page.nonce)"}"#)
        #expect(bodies.count == 0)
        #expect(bodies.counts.expired == 0)
    }

    @Test func `a web site's redirect is followed here: the client does not know its address`() async throws {
        let catalog = TestCatalog()
        let prefix = "\(echo.address)/redirect?to=\(echo.address)/text%3Fbody=online&rest="
        try catalog.change { $0.packages[try PackageID("shop")] = WebSettings.Package(origins: [prefix]) }
        let answer = try await send("GET", "https://shop.package/x", type: nil, catalog: catalog)
        #expect(answer.head?.status == 200)
        #expect(String(decoding: answer.data, as: UTF8.self) == "online")
    }
}
