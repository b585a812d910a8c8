import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackWeb

@testable import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What becomes of a request on its way: redirects, a password that nobody has, a client that does not read.
struct HopTests {
    private let store: TestStore
    private let catalog: TestCatalog
    private let page: PageSession
    private let server: EchoServer

    init() throws {
        store = try TestStore()
        server = try EchoServer()
        catalog = TestCatalog(try store.content("shop", "1.0.0", ["index.html": "one"]))
        page = PageSession(catalog)
    }

    /// - Returns: the last status and the bytes.
    private func load(
        _ text: String, method: String = "GET", headers: [String: String] = [:], body: Data? = nil,
        on page: PageSession? = nil, by online: NetworkLoader = NetworkLoader(), at place: CallbackPlace = .inPlace
    ) async throws -> (status: Int, data: Data) {
        defer { online.close() }
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return try await ResourceLoad.load(request, on: page ?? self.page, online: online, at: place)
    }

    @Test(arguments: ["GET", "POST"])
    func `a hop to another origin loses the engine's cookies and passwords, one to its own keeps them`(
        method: String
    ) async throws {
        let other = try EchoServer()
        let body = method == "POST" ? Data("b".utf8) : nil
        for (target, isKept) in [(server.address, true), (other.address, false)] {
            let answer = try await load(
                "\(server.address)/on?to=\(target)/echo", method: method,
                headers: ["Cookie": "engine=1", "Authorization": "Basic eA==", "X-Own": "1"], body: body)
            let said = try JSONDecoder().decode(EchoServer.Said.self, from: answer.data)
            #expect((said.headers["cookie"] ?? "").contains("engine=1") == isKept, "\(said.headers)")
            #expect((said.headers["authorization"] != nil) == isKept)
            #expect(said.headers["x-own"] == "1")
            #expect(said.method == method)
        }
    }

    @Test(arguments: [
        ("/echo?q={%22a%22}", "/echo?q=%7B%22a%22%7D"), ("/echo?a b|%7C", "/echo?a%20b%7C%7C"),
        ("/echo/ä%20ö", "/echo/%C3%A4%20%C3%B6"), ("/echo?a[]=%5B10%", "/echo?a%5B%5D=%5B10%25"),
        ("echo?{%22", "/deep/echo?%7B%22"), ("../echo?{%22", "/echo?%7B%22"),
        ("?status=200&q={%22", "/deep/redirect?status=200&q=%7B%22"),
        ("//HOST/echo?{%22", "/echo?%7B%22"), ("http://HOST/echo?{%22", "/echo?%7B%22"),
    ])
    func `an address that a redirect names is escaped once, relative or not`(location: String, path: String)
        async throws
    {
        let host = server.address.replacing("http://", with: "")
        let asked = URLRequest(url: try #require(URL(string: server.address + "/deep/redirect?a=1")))
        let response = HTTPURLResponse(
            url: try #require(asked.url), statusCode: 302, httpVersion: nil,
            headerFields: ["Location": location.replacing("HOST", with: host)])
        let hop = asked.hop(after: try #require(response), suggested: asked)
        #expect(hop.url?.absoluteString == server.address + path)
        guard !location.hasPrefix("?") else { return }
        let to =
            location.replacing("HOST", with: host)
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await load("\(server.address)/deep/redirect?to=\(to)")
        #expect(try JSONDecoder().decode(EchoServer.Said.self, from: answer.data).path == path)
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["GET", "POST"])
    func `redirects that never end are an error`(method: String) async throws {
        let error = await #expect(throws: URLError.self) {
            _ = try await load("\(server.address)/loop", method: method, body: method == "POST" ? Data("b".utf8) : nil)
        }
        #expect(error?.code == .httpTooManyRedirects)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a web site that leads back to its package, which is switched off, is an error`() async throws {
        let copy = server.address + "/"
        catalog.change {
            for id in $0.packages.keys {
                $0.packages[id] = WebSettings.Package(isEnabled: false, origins: [copy])
            }
        }
        let page = PageSession(catalog)
        let error = await #expect(throws: URLError.self) {
            _ = try await load("https://shop.package/home", on: page)
        }
        #expect(error?.code == .httpTooManyRedirects)
    }

    @Test(arguments: ["GET", "POST"])
    func `a request may be stopped at any moment of its redirects`(method: String) async throws {
        let online = NetworkLoader()
        defer { online.close() }
        let end = "\(server.address)/bytes?n=9"
        let path = (0..<3).reduce(end) { next, _ in
            let to = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return "\(server.address)/redirect?status=307&to=\(to)"
        }
        var request = URLRequest(url: try #require(URL(string: path)))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data("b".utf8) }
        for round in 0..<150 {
            let transfer = ResourceLoad(request, on: page, online: online, at: .inPlace) { _ in }
            transfer.start()
            try await Task.sleep(for: .microseconds(round * 83 % 9000))
            transfer.stop()
        }
        // The process is still there, and so is the session.
        #expect(try await load(path, method: method, body: request.httpBody).data.count == 9)
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["GET", "POST"])
    func `an answer that asks for a password which nobody has is an answer, with its body`(method: String) async throws
    {
        let body = method == "POST" ? Data("b".utf8) : nil
        let answer = try await load("\(server.address)/secret", method: method, body: body)
        #expect(answer.status == 401)
        #expect(answer.data == Data("who are you?".utf8))
    }

    @Test(.timeLimit(.minutes(2)))
    func `what waits for a client that does not read is bounded`() async throws {
        let byteCount = Backlog.maximumByteCount + (32 << 20)
        let queue = DispatchQueue(label: "slow client")
        queue.suspend()
        let place = CallbackPlace { work in queue.async(execute: DispatchWorkItem { work() }) }
        let address = server.address
        let online = NetworkLoader()
        let pouring = Task { try await load("\(address)/pour?n=\(byteCount)", by: online, at: place) }
        let (said, _) = try await URLSession.shared.data(from: #require(URL(string: address + "/poured")))
        #expect(said == Data("yes".utf8))
        queue.resume()
        await #expect(throws: WebError.notRead(byteCount: Backlog.maximumByteCount)) {
            _ = try await pouring.value
        }
        #expect(online.backlog.byteCount == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a client that reads gets more than may wait`() async throws {
        let byteCount = Backlog.maximumByteCount + (32 << 20)
        #expect(try await load("\(server.address)/pour?n=\(byteCount)").data.count == byteCount)
    }
}
