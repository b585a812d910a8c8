import Foundation
import PackFormat
import PackWeb
import TestSupport
import Testing

@testable import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests that the app answers itself.
struct NativeAnswersTests {
    private let store: TestStore
    private let server: EchoServer
    private let page: PageSession
    private let asked = Locked<[String]>([])

    init() throws {
        store = try TestStore()
        server = try EchoServer()
        page = PageSession(
            TestCatalog(
                try store.content(
                    "shop", "1.0.0", ["index.html": "<p>one", "a.js": "a of 1.0.0", "b.js": "b of 1.0.0"])))
    }

    /// Answers every address with a part or a query "stub"; in the query of a redirect it is encoded.
    private func answers() -> NativeAnswers {
        NativeAnswers { [asked] request in
            let url = request.url?.absoluteString ?? ""
            asked.withLock { $0.append(url) }
            guard ["/stub", "?stub", "&stub"].contains(where: { url.contains($0) }) else { return nil }
            return NativeAnswer(status: 203, headers: ["X-From": "app"], body: Data("the app's".utf8))
        }
    }

    private func load(
        _ address: String, method: String = "GET", accept: String = "*/*", by online: NetworkLoader
    ) async throws -> (status: Int, text: String) {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.setValue(accept, forHTTPHeaderField: "Accept")
        let answer = try await ResourceLoad.load(request, on: page, online: online, at: .inPlace)
        return (answer.status, String(decoding: answer.data, as: UTF8.self))
    }

    @Test func `the app answers in the server's place, and the server hears nothing of it`() async throws {
        let exchanges = Locked<[OnlineExchange]>([])
        let online = NetworkLoader(
            ended: { exchange in exchanges.withLock { $0.append(exchange) } }, native: answers())
        defer { online.close() }
        // The end is told a moment after the answer, so each is waited for.
        #expect(try await load("\(server.address)/status?code=500&stub", by: online) == (203, "the app's"))
        #expect(await eventually { exchanges.withLock { $0.count } == 1 })
        #expect(try await load("\(server.address)/status?code=404", by: online) == (404, "status"))
        #expect(await eventually { exchanges.withLock { $0.count } == 2 })
        #expect(try await load("\(server.address)/status?code=500&stub", method: "HEAD", by: online) == (203, ""))
        #expect(await eventually { exchanges.withLock { $0.count } == 3 })
        let all = exchanges.withLock { $0 }
        #expect(all.map(\.status) == [203, 404, 203])
        #expect(all.map(\.byteCount) == [9, 6, 0])
        #expect(all.allSatisfy { $0.error == nil })
    }

    @Test func `each hop of a redirect may be the app's`() async throws {
        let online = NetworkLoader(native: answers())
        defer { online.close() }
        let to = "/status?code=500&stub".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        #expect(try await load("\(server.address)/redirect?status=302&to=\(to)", by: online) == (203, "the app's"))
        let plain = "/bytes?n=1234".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        #expect(try await load("\(server.address)/redirect?status=302&to=\(plain)", by: online).status == 200)
        #expect(asked.withLock { $0.count } == 4)
    }

    @Test func `what was prepared is what the app is asked, and what was refused it is not`() async throws {
        let online = NetworkLoader(
            prepare: { [server] request in
                var request = request
                if request.url?.path == "/refused" { return nil }
                request.url = URL(string: server.address + "/stub")
                return request
            }, native: answers())
        defer { online.close() }
        #expect(try await load("\(server.address)/elsewhere", by: online).status == 203)
        await #expect(throws: (any Error).self) { try await load("\(server.address)/refused", by: online) }
        #expect(asked.withLock { $0 } == ["\(server.address)/stub"])
    }

    @Test func `before the package the app is asked only where it says so, and never for a page`() async throws {
        var answers = answers()
        answers.precedesPackage = { $0.url.hasPrefix("https://shop.package/a") || $0.url.contains("stub") }
        let online = NetworkLoader(native: answers)
        defer { online.close() }
        #expect(try await load("https://shop.package/stub.png", by: online) == (203, "the app's"))
        #expect(asked.withLock { $0 } == ["https://shop.package/stub.png"])
        // Nil: the package's own.
        #expect(try await load("https://shop.package/a.js", by: online) == (200, "a of 1.0.0"))
        #expect(asked.withLock { $0.count } == 2)
        #expect(try await load("https://shop.package/b.js", by: online) == (200, "b of 1.0.0"))
        #expect(try await load("https://shop.package/?stub", accept: "text/html", by: online) == (200, "<p>one"))
        #expect(asked.withLock { $0.count } == 2)
        #expect(page.report.entries.map(\.url).filter { $0.contains("stub.png") } == [])
    }

    @Test func `a task of a scheme is answered by the app before the package, whether it takes answers whole or not`()
        async throws
    {
        var answers = answers()
        answers.precedesPackage = { $0.url.contains("stub") }
        let online = NetworkLoader(native: answers)
        defer { online.close() }
        let driver = SchemeTaskDriver(page: page, online: online, place: .inPlace)
        for task in [CollectingTask(), CollectingWholeTask()] {
            var request = URLRequest(url: try #require(URL(string: "h5pack://shop/stub.png")))
            // As an engine asks for an image; without it the request may be a page's.
            request.setValue("image/png,*/*", forHTTPHeaderField: "Accept")
            driver.start(task, request: request)
            for await _ in task.ended { break }
            #expect(task.said.withLock { $0 } == ["203", "the app's", "end"])
        }
        // A task is forgotten after its last call has returned, and the test goes on in that call.
        #expect(await eventually { driver.runningCount == 0 })
    }

    @Test func `a request that is stopped while the app is asked hears nothing, and ends`() async throws {
        let (asking, asked) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let ended = Locked<[OnlineExchange]>([])
        let online = NetworkLoader(
            ended: { exchange in ended.withLock { $0.append(exchange) } },
            native: NativeAnswers { _ in
                asked.yield()
                for await _ in released { break }
                return NativeAnswer(body: Data("too late".utf8))
            })
        defer { online.close() }
        let heard = Locked(0)
        let request = URLRequest(url: try #require(URL(string: server.address + "/echo")))
        let load = ResourceLoad(request, on: page, online: online, at: .inPlace) { _ in heard.withLock { $0 += 1 } }
        load.start()
        for await _ in asking { break }
        load.stop()
        for _ in 0..<400 where ended.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
        release.yield()
        release.finish()
        // Another request comes after whatever the first one still had to say.
        _ = try await self.load("\(server.address)/echo", by: online)
        #expect(heard.withLock { $0 } == 0)
        #expect(ended.withLock { $0.first?.error } != nil)
        #expect(ended.withLock { $0.filter { $0.error != nil }.count } == 1)
    }
}

/// A task of an engine, which keeps what it is told.
private class CollectingTask: SchemeTask, @unchecked Sendable {
    let said = Locked<[String]>([])
    let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (ended, end) = AsyncStream.makeStream() }

    func receive(_ head: TransferHead) { said.withLock { $0.append("\(head.status)") } }
    func receive(_ data: Data) { said.withLock { $0.append(String(decoding: data, as: UTF8.self)) } }
    func finish() {
        said.withLock { $0.append("end") }
        end.yield()
    }
    func fail(_ error: any Error) {
        said.withLock { $0.append("\(error)") }
        end.yield()
    }
}

private final class CollectingWholeTask: CollectingTask, WholeAnswerTask, @unchecked Sendable {
    func answer(_ head: TransferHead, _ body: Data) {
        receive(head)
        receive(body)
        finish()
    }
}
