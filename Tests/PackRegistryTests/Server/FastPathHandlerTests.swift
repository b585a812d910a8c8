import Foundation
import PackFormat
import Testing

@testable import PackRegistryServer

/// Reads that are answered from a connection's bytes, and their change to the server behind.
struct FastPathHandlerTests {
    static let view: [String: [UInt8]] = [
        "metadata/timestamp.json": Array("{\"now\":1}".utf8), "metadata/1.root.json": Array("{\"root\":1}".utf8),
        "packages/large-1.0.0.zip": (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) },
    ]

    private static func request(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    @Test func `requests that come together are answered in their order, whoever answers them`() async throws {
        try await RunningServer.with(FolderHost(Self.view)) { (server) async throws in
            let connection = try server.connection()
            let paths = [
                "/metadata/timestamp.json", "/metadata/1.root.json", "/metadata/timestamp.json", "/health/live",
                "/metadata/1.root.json", "/metadata/absent.json", "/metadata/timestamp.json",
            ]
            await connection.send(paths.map { Self.request($0) }.joined())
            var answers: [String] = []
            for _ in paths {
                let answer = try await connection.answer()
                answers.append("\(answer.status) \(answer.text.prefix(8))")
            }
            #expect(
                answers == [
                    "200 {\"now\":1", "200 {\"root\":", "200 {\"now\":1", "200 {\"status", "200 {\"root\":",
                    "404 {\"detail", "200 {\"now\":1",
                ])
        }
    }

    @Test func `a request in single bytes is answered as one in a piece`() async throws {
        try await RunningServer.with(FolderHost(Self.view)) { (server) async throws in
            let connection = try server.connection()
            for _ in 0..<2 {
                for byte in Self.request("/metadata/timestamp.json").utf8 { await connection.send([byte]) }
                #expect(try await connection.answer().text == "{\"now\":1}")
            }
        }
    }

    @Test func `a file that was replaced is seen at once`() async throws {
        let host = try FolderHost(Self.view)
        try await RunningServer.with(host) { (server) async throws in
            let connection = try server.connection()
            for number in 0..<20 {
                try host.write(Array("{\"now\":\(number)}".utf8), to: "metadata/timestamp.json")
                await connection.send(Self.request("/metadata/timestamp.json"))
                #expect(try await connection.answer().text == "{\"now\":\(number)}")
            }
        }
    }

    @Test func `a file that came later is found, and its patch after a 404`() async throws {
        let host = try FolderHost(Self.view)
        try await RunningServer.with(host) { (server) async throws in
            #expect(try await server.ask("GET", "/metadata/2.root.json").status == 404)
            try host.write(Array("{}".utf8), to: "metadata/2.root.json")
            #expect(try await server.ask("GET", "/metadata/2.root.json").status == 200)
        }
    }

    @Test func `a large file is sent whole and in parts, on one connection`() async throws {
        try await RunningServer.with(FolderHost(Self.view)) { (server) async throws in
            let connection = try server.connection()
            let path = "/packages/large-1.0.0.zip"
            let bytes = Self.view["packages/large-1.0.0.zip"] ?? []
            await connection.send(
                Self.request(path) + Self.request(path, "Range: bytes=19999990-\r\n")
                    + Self.request("/metadata/timestamp.json"))
            #expect(try await Digest(of: connection.answer().body) == Digest(of: bytes))
            let part = try await connection.answer()
            #expect(part.status == 206 && part.body == Array(bytes.suffix(10)))
            #expect(try await connection.answer().text == "{\"now\":1}")
        }
    }

    @Test func `a client that ends its side gets every answer, then the end`() async throws {
        try await RunningServer.with(FolderHost(Self.view)) { (server) async throws in
            let connection = try server.connection()
            await connection.send(String(repeating: Self.request("/metadata/timestamp.json"), count: 50))
            await connection.finish()
            for _ in 0..<50 { #expect(try await connection.answer().text == "{\"now\":1}") }
            #expect(await connection.isClosedByServer())
        }
    }

    @Test(arguments: [
        "GET /metadata/timestamp.json HTTP/1.1\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\nHost: x\n\n",
        "GET  /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /metadata/../metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /metadata//timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        "get /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /metadata/timestamp.json?x=1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.0\r\nHost: x\r\n\r\n",
        "GET /site/a/1.0.0/ HTTP/1.1\r\nHost: x\r\n\r\n", "POST /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nA: \u{1}\r\n\r\n", "NONSENSE",
    ])
    func `what is no plain read is left to the parser`(text: String) {
        let outcome = Array(text.utf8).withUnsafeBytes { ReadRequest.parse($0) }
        guard case .other = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `every cut of a plain read is incomplete, and nothing behind it is taken`() throws {
        let text = Self.request("/metadata/timestamp.json", "If-None-Match: \"a\"\r\nUser-Agent: x y\r\n")
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            let outcome = bytes.prefix(count).withUnsafeBytes { ReadRequest.parse($0) }
            guard case .incomplete = outcome else {
                Issue.record("\(count): \(outcome)")
                continue
            }
        }
        let outcome = (bytes + Array("GET /x".utf8)).withUnsafeBytes { ReadRequest.parse($0) }
        guard case .read(let request, let count) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(request.path == "metadata/timestamp.json" && count == bytes.count)
        #expect(request.ifNoneMatch == "\"a\"")
    }

    @Test(arguments: 0..<200)
    func `no bytes make the reader fail`(seed: Int) {
        var state = UInt64(seed) &+ 99
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        var bytes = Array(Self.request("/metadata/timestamp.json", "Range: bytes=0-1\r\nIf-Range: \"a\"\r\n").utf8)
        for _ in 0..<(1 + next() % 6) {
            switch next() % 3 {
            case 0: bytes[next() % bytes.count] = UInt8(truncatingIfNeeded: next())
            case 1: bytes.remove(at: next() % bytes.count)
            default: bytes.insert(UInt8(truncatingIfNeeded: next()), at: next() % bytes.count)
            }
        }
        let outcome = bytes.withUnsafeBytes { ReadRequest.parse($0) }
        // Whatever was read is a path of the view.
        if case .read(let request, _) = outcome {
            let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
            #expect(ViewPath.folders.contains(String(parts[0])) && !parts.contains { $0.isEmpty || $0.hasPrefix(".") })
        }
    }

    @Test func `the start of a request behind one for a file that is read first is not forgotten`() async throws {
        try await RunningServer.with(FolderHost(Self.view)) { (server) async throws in
            let connection = try server.connection()
            let second = Array(Self.request("/metadata/1.root.json").utf8)
            // Not in the cache, so the reading stops meanwhile.
            await connection.send(Array(Self.request("/packages/large-1.0.0.zip").utf8) + second.prefix(10))
            #expect(try await connection.answer().body.count == 20_000_000)
            await connection.send(Array(second.dropFirst(10)))
            #expect(try await connection.answer().text == "{\"root\":1}")
        }
    }

    /// The kernel keeps some megabytes on each side; what the server kept itself grew with each answer.
    @Test func `a client that asks for much and reads little is not read ahead`() async throws {
        let bytes = [UInt8](repeating: 1, count: 100_000)
        let path = ViewPath.object(Digest(of: bytes)).description
        let host = try FolderHost([path: bytes])
        try await RunningServer.with(host) { (server) async throws in
            let connection = try server.connection()
            let requests = Array(String(repeating: Self.request("/\(path)"), count: 1000).utf8)
            let asking = Task {
                var byteCount = 0
                while !Task.isCancelled, await connection.send(requests) { byteCount += requests.count }
                return byteCount
            }
            for _ in 0..<2000 {
                let answer = try await connection.answer(pause: 500)
                try #require(answer.status == 200)
            }
            asking.cancel()
            await connection.abort()
            let byteCount = await asking.value
            #expect(byteCount > requests.count && byteCount < 16 << 20, "\(byteCount)")
        }
    }
}
