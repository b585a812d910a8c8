import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passwords that a server asks for, and the app has. Its certificates are the system's business on Linux.
struct ChallengeTests {
    private let store: TestStore
    private let server: EchoServer

    init() throws {
        store = try TestStore()
        server = try EchoServer()
    }

    private func load(
        _ path: String, method: String = "GET", body: Data? = nil, by online: NetworkLoader
    ) async throws -> (status: Int, text: String) {
        let page = PageSession(TestCatalog(try store.content("shop", "1.0.0", ["index.html": "one"])))
        var request = URLRequest(url: try #require(URL(string: server.address + path)))
        request.httpMethod = method
        request.httpBody = body
        let answer = try await ResourceLoad.load(request, on: page, online: online, at: .inPlace)
        return (answer.status, String(decoding: answer.data, as: UTF8.self))
    }

    private static func credential(_ password: String) -> URLCredential {
        URLCredential(user: "ann", password: password, persistence: .none)
    }

    @Test(arguments: [nil, Data("a body".utf8)])
    func `the app's password opens the server, and the page gets one answer`(body: Data?) async throws {
        let asked = Locked<[String]>([])
        let online = NetworkLoader(challenged: { challenge in
            let space = challenge.protectionSpace
            asked.withLock { $0.append("\(space.authenticationMethod) \(space.realm ?? "") \(space.host)") }
            return (.useCredential, Self.credential("open"))
        })
        defer { online.close() }
        let answer = try await load("/secret", method: body == nil ? "GET" : "POST", body: body, by: online)
        #expect(answer.status == 200)
        #expect(answer.text == "come in " + String(decoding: body ?? Data(), as: UTF8.self))
        #expect(asked.withLock { $0 } == ["\(NSURLAuthenticationMethodHTTPBasic) r 127.0.0.1"])
    }

    @Test func `a password that does not open is asked for again until the app gives up, and the page gets the 401`()
        async throws
    {
        let failures = Locked<[Int]>([])
        let online = NetworkLoader(challenged: { challenge in
            failures.withLock { $0.append(challenge.previousFailureCount) }
            return challenge.previousFailureCount < 2
                ? (.useCredential, Self.credential("wrong")) : (.performDefaultHandling, nil)
        })
        defer { online.close() }
        let answer = try await load("/secret", by: online)
        #expect(answer.status == 401)
        #expect(answer.text == "who are you?")
        #expect(failures.withLock { $0 } == [0, 1, 2])
    }

    @Test func `without an app's answer, and where it leaves it to the system, a 401 is the page's answer`()
        async throws
    {
        let silent = NetworkLoader()
        defer { silent.close() }
        #expect(try await load("/secret", by: silent) == (401, "who are you?"))
        let leaving = NetworkLoader(challenged: { _ in (.performDefaultHandling, nil) })
        defer { leaving.close() }
        #expect(try await load("/secret", by: leaving) == (401, "who are you?"))
        // A 401 that names no way to sign in asks nobody.
        #expect(try await load("/status?code=401", by: leaving) == (401, "status"))
    }

    @Test func `a request that is cancelled while the app is asked ends, and the app's answer comes too late`()
        async throws
    {
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let ended = Locked<[String?]>([])
        let online = NetworkLoader(
            ended: { exchange in ended.withLock { $0.append(exchange.error) } },
            challenged: { _ in
                asking.yield()
                for await _ in released { break }
                return (.useCredential, Self.credential("open"))
            })
        defer { online.close() }
        let page = PageSession(TestCatalog())
        let heard = Locked(0)
        let request = URLRequest(url: try #require(URL(string: server.address + "/secret")))
        let load = ResourceLoad(request, on: page, online: online, at: .inPlace) { _ in heard.withLock { $0 += 1 } }
        load.start()
        for await _ in asked { break }
        load.stop()
        for _ in 0..<400 where ended.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
        release.yield()
        release.finish()
        #expect(try await self.load("/echo", by: online).status == 200)
        #expect(heard.withLock { $0 } == 0)
        #expect(ended.withLock { $0.count { $0 != nil } } == 1)
    }
}
