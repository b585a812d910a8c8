import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct NetworkLoaderTests {
    private let store: TestStore
    private let server: EchoServer

    init() throws {
        store = try TestStore()
        server = try EchoServer()
    }

    private func page() throws -> PageSession {
        PageSession(TestCatalog(try store.content("shop", "1.0.0", ["index.html": "one"])))
    }

    /// - Returns: status and bytes.
    private func load(
        _ path: String, method: String = "GET", body: Data? = nil, stream: Data? = nil, on page: PageSession,
        by online: NetworkLoader
    ) async throws -> (status: Int, data: Data) {
        var request = URLRequest(url: try #require(URL(string: server.address + path)))
        request.httpMethod = method
        request.httpBody = body
        if let stream { request.httpBodyStream = InputStream(data: stream) }
        return try await ResourceLoad.load(request, on: page, online: online, at: .inPlace)
    }

    @Test(arguments: [1, 5])
    func `requests at once each get their own bytes, in order, with so many delegate calls at a time`(
        concurrency: Int
    ) async throws {
        let online = NetworkLoader(concurrency: concurrency)
        defer { online.close() }
        let page = try page()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let count = number * 4001
                    let answer = try await load("/bytes?n=\(count)", on: page, by: online)
                    #expect(answer.data == Data((0..<count).map { UInt8($0 * 31 % 251) }))
                    let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) })
                    let mirrored = try await load("/mirror", method: "POST", body: body, on: page, by: online)
                    #expect(mirrored.data == body)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [1, 5])
    func `a session that is closed is freed, with its delegate, once its requests have ended`(
        concurrency: Int
    ) async throws {
        weak var freed: NetworkLoader?
        let page = try page()
        for _ in 0..<3 {
            let online = NetworkLoader(concurrency: concurrency)
            freed = online
            for number in 0..<4 {
                let body = number % 2 == 0 ? nil : Data("body".utf8)
                _ = try await load("/echo", method: body == nil ? "GET" : "POST", body: body, on: page, by: online)
            }
            online.close()
            await #expect(throws: (any Error).self) { try await load("/echo", on: page, by: online) }
        }
        for _ in 0..<400 where freed != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(freed == nil)
    }

    @Test func `requests that start while their loader is closed all end`() async throws {
        let page = try page()
        for _ in 0..<20 {
            let online = NetworkLoader()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        // The answer or a failure: which of the two is a matter of microseconds.
                        let answer = try? await load("/echo", on: page, by: online)
                        #expect(answer.map { $0.status == 200 } ?? true)
                    }
                }
                group.addTask { online.close() }
            }
            await #expect(throws: (any Error).self) { try await load("/echo", on: page, by: online) }
        }
    }

    @Test func `a body that is a stream arrives whole`() async throws {
        let online = NetworkLoader()
        defer { online.close() }
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let answer = try await load("/mirror", method: "POST", stream: body, on: page(), by: online)
        #expect(answer.data == body)
    }

    @Test func `a session that nobody closes stays: the system holds its delegate`() async throws {
        weak var held: NetworkLoader?
        do {
            let online = NetworkLoader()
            held = online
            _ = try await load("/echo", on: page(), by: online)
        }
        #expect(held != nil)
        held?.close()
    }

    @Test func `an app changes or refuses each request, and is told what became of it`() async throws {
        let seen = Seen()
        let online = NetworkLoader(
            prepare: { request in
                if request.url?.path == "/refused" { return nil }
                var request = request
                request.setValue("ours", forHTTPHeaderField: "X-App")
                // Another host in the address's place.
                if request.url?.path == "/moved", let text = request.url?.absoluteString {
                    request.url = URL(string: text.replacingOccurrences(of: "/moved", with: "/elsewhere"))
                }
                return request
            }, ended: { seen.add($0) })
        defer { online.close() }
        // The end is told a moment after the answer, so each is waited for.
        func told(_ count: Int) async throws {
            for _ in 0..<400 where seen.all.count < count { try await Task.sleep(for: .milliseconds(10)) }
        }
        let page = try page()
        let moved = try await load("/moved", method: "PUT", body: Data("abc".utf8), on: page, by: online)
        let said = try JSONDecoder().decode(EchoServer.Said.self, from: moved.data)
        #expect(said.path == "/elsewhere")
        #expect(said.headers["x-app"] == "ours")
        try await told(1)
        await #expect(throws: (any Error).self) { try await load("/refused", on: page, by: online) }
        try await told(2)
        let hops = try await load("/redirect?status=302&to=/bytes?n=1234", on: page, by: online)
        #expect(hops.data.count == 1234)
        try await told(3)
        _ = try await load("/status?code=404", on: page, by: online)
        try await told(4)
        let all = seen.all
        #expect(all.map { $0.url?.path } == ["/moved", "/refused", "/redirect", "/status"])
        #expect(all.map(\.method) == ["PUT", "GET", "GET", "GET"])
        #expect(all.map(\.status) == [200, nil, 200, 404])
        #expect(all.map(\.hopCount) == [0, 0, 1, 0])
        #expect(all.map(\.byteCount) == [moved.data.count, 0, 1234, 6])
        #expect(all.map { $0.error == nil } == [true, false, true, true])
        #expect(all.allSatisfy { $0.duration >= .zero })
    }

    private final class Seen: @unchecked Sendable {
        private let lock = NSLock()
        private var exchanges: [OnlineExchange] = []

        var all: [OnlineExchange] { lock.withLock { exchanges } }
        func add(_ exchange: OnlineExchange) { lock.withLock { exchanges.append(exchange) } }
    }
}
