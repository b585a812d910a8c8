import Foundation
import PackFormat
import Testing

@testable import PackRegistryServer

/// Bodies that are large, broken or cut, and what is said about them.
struct RequestBodyTests {
    static let fields =
        "Host: x\r\nAuthorization: Bearer \(ClientLimitTests.admin)\r\nContent-Type: application/json\r\n"

    @Test func `bodies share one bound of memory, and who finds no room is told to come back`() async throws {
        var limits = ServerLimits()
        limits.maximumBodyMemoryByteCount = 320 << 10
        limits.bodyMemoryPatience = .milliseconds(300)
        try await RunningServer.with(ClientLimitTests.host(), limits: limits) { (server) async throws in
            let body = Array("{\"manifest\": \"\(String(repeating: "a", count: 200 << 10))\"}".utf8)
            let slow = try server.connection()
            await slow.send(
                "POST /v1/versions HTTP/1.1\r\n\(Self.fields)Content-Length: \(body.count)\r\n\r\n")
            await slow.send(Array(body.dropLast()))
            // Until the server holds it: nothing else tells.
            try await Task.sleep(for: .seconds(1))
            var busy: RawAnswer?
            for _ in 0..<100 where busy?.status != 503 {
                busy = try await Self.post(body, to: server)
            }
            #expect(busy?.status == 503 && busy?["retry-after"].flatMap { Int($0) } != nil)
            #expect(busy?.text.contains("urn:packtool:problem:busy") == true)
            // A small one needs little.
            #expect(try await Self.post(Array("{}".utf8), to: server).status == 400)
            await slow.send(Array(body.suffix(1)))
            #expect(try await slow.answer().status == 400)
            #expect(try await Self.post(body, to: server).status == 400)
        }
    }

    private static func post(_ body: [UInt8], to server: RunningServer) async throws -> RawAnswer {
        try await server.ask(
            "POST", "/v1/versions",
            ["Authorization": "Bearer \(ClientLimitTests.admin)", "Content-Type": "application/json"], body: body)
    }

    @Test(arguments: [
        "{\"\(String(repeating: "k", count: 1 << 20))\": 1}",
        "{\"manifest\": \"\(String(repeating: "m", count: 1 << 20))\", \"role\": \"\"}",
        "{\"manifest\": \"\(String(repeating: "\\\"", count: 1 << 19))\", \"role\": \"\"}",
    ])
    func `a problem does not repeat what it refuses`(body: String) async throws {
        try await RunningServer.with(ClientLimitTests.host()) { (server) async throws in
            let answer = try await Self.post(Array(body.utf8), to: server)
            #expect(answer.status == 400)
            #expect(answer.body.count < 5_000, "\(answer.body.count)")
            #expect(answer.text.contains("bytes)"))
        }
    }

    @Test func `what is short is said whole, and what is cut says how long it was`() {
        #expect(ProblemText.cut("the key \"a\" is unknown") == "the key \"a\" is unknown")
        let long = ProblemText.cut("the key \"\(String(repeating: "k", count: 5000))\" is unknown here")
        #expect(long == "the key \"\(String(repeating: "k", count: 100))… (5000 bytes)\" is unknown here")
        #expect(ProblemText.cut(String(repeating: "x", count: 9000)).utf8.count < 2_100)
        #expect(ProblemText.cut(String(repeating: "\"", count: 9000)).utf8.count < 2_200)
    }

    @Test func `a document of more values than any of ours is refused`() async throws {
        try await RunningServer.with(ClientLimitTests.host()) { (server) async throws in
            let body = "{\"role\": [\(String(repeating: "0,", count: 20_000))0]}"
            let answer = try await Self.post(Array(body.utf8), to: server)
            #expect(answer.status == 400 && answer.text.contains("10000 values"))
        }
    }

    @Test(arguments: ["/v1/versions", "/v1/uploads", "/v1/missing-objects"])
    func `a chunk that is none, and a body that is cut, are the client's fault`(path: String) async throws {
        try await RunningServer.with(ClientLimitTests.host()) { (server) async throws in
            let broken = try server.connection()
            await broken.send("POST \(path) HTTP/1.1\r\n\(Self.fields)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            try await Task.sleep(for: .milliseconds(100))
            await broken.send("nonsense\r\n")
            #expect(try await broken.answer().status == 400)
            for start in ["Content-Length: 1000\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n10\r\nabc"] {
                let cut = try server.connection()
                await cut.send("POST \(path) HTTP/1.1\r\n\(Self.fields)\(start)")
                try await Task.sleep(for: .milliseconds(100))
                await cut.finish()
                let answer = try await cut.answer()
                #expect(answer.status == 400, "\(answer)")
            }
        }
    }

    @Test(arguments: ["/metadata/timestamp.json", "/health/live", "/metadata/none.json"])
    func `a request names one host`(path: String) async throws {
        try await RunningServer.with(ClientLimitTests.host()) { (server) async throws in
            for head in [
                "GET \(path) HTTP/1.1\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost:\r\n\r\n",
                "GET \(path) HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET \(path) HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
                "GET http://a\(path) HTTP/1.1\r\nHost: b\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost: a b\r\n\r\n",
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:80@evil\r\n\r\n", "GET \(path) HTTP/1.1\r\nHost: a/b\r\n\r\n",
            ] {
                let connection = try server.connection()
                await connection.send(head)
                #expect(try await connection.answer().status == 400, "\(head)")
            }
            for host in ["a", "a.example:8080", "[::1]:80", "127.0.0.1", "a_b"] {
                let connection = try server.connection()
                await connection.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await connection.answer().status == (path.contains("none") ? 404 : 200), "\(host)")
            }
            let absolute = try server.connection()
            await absolute.send("GET http://a:80/health/live HTTP/1.1\r\nHost: a:80\r\n\r\n")
            #expect(try await absolute.answer().status == 200)
        }
    }
}
