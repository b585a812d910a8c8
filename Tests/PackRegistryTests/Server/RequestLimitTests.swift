import Foundation
import PackFormat
import Synchronization
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryServer

/// What one client can hold, and what is left when it goes.
struct RequestLimitTests {
    static let publisher = "ptk_publisher"

    static func host() throws -> FolderHost {
        try FolderHost(
            ["metadata/timestamp.json": [1]],
            tokens: [publisher: Identity(name: "ci", scope: TokenScope(actions: [.publish]))])
    }

    /// Limits far shorter than the standard ones, and still long for a busy machine.
    static var short: ServerLimits {
        var limits = ServerLimits()
        limits.idleTimeout = .seconds(3)
        limits.bodyGrace = .seconds(1)
        limits.bodyTimeout = .seconds(4)
        limits.minimumBodyRate = 1000
        limits.lingerTimeout = .seconds(4)
        limits.stallTimeout = .seconds(1)
        limits.maximumUploadByteCount = 1 << 20
        limits.maximumConcurrentUploads = 2
        return limits
    }

    /// A small bound on uploads, and the standard times: here the size decides, however busy the machine.
    static var small: ServerLimits {
        var limits = ServerLimits()
        limits.maximumUploadByteCount = 1 << 20
        return limits
    }

    static func upload(_ length: Int, extra: String = "") -> String {
        "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(publisher)\r\n"
            + "Content-Length: \(length)\r\n\(extra)\r\n"
    }

    @Test func `a connection that says nothing, or trickles its header, is closed`() async throws {
        try await RunningServer.with(Self.host(), limits: Self.short) { (server) async throws in
            let silent = try server.connection()
            #expect(await silent.isClosedByServer())
            let slow = try server.connection()
            var isOpen = true
            for _ in 0..<500 where isOpen {
                isOpen = await slow.send("G")
                try await Task.sleep(for: .milliseconds(30))
            }
            #expect(!isOpen)
        }
    }

    @Test func `a connection is closed some time after its last answer`() async throws {
        try await RunningServer.with(Self.host(), limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send(RunningServer.request("GET", "/metadata/timestamp.json"))
            #expect(try await connection.answer().status == 200)
            #expect(await connection.isClosedByServer())
        }
    }

    @Test func `a body that trickles is given up with 408, and its file is removed`() async throws {
        let host = try Self.host()
        try await RunningServer.with(host, limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send(Self.upload(100_000))
            let trickle = Task {
                while !Task.isCancelled, await connection.send("x") { try? await Task.sleep(for: .milliseconds(20)) }
            }
            let other = try server.connection()
            await other.send(Self.upload(100_000))
            let answer = try await other.answer()
            #expect((answer.status, answer["connection"]) == (408, "close"))
            #expect(answer.text.contains("urn:packtool:problem:timeout"))
            #expect(await other.isClosedByServer())
            await trickle.value
            #expect(try host.leftovers().isEmpty)
        }
    }

    @Test func `a body that keeps its rate is still bounded in time`() async throws {
        let host = try Self.host()
        try await RunningServer.with(host, limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send(Self.upload(1_000_000))
            var isOpen = true
            for _ in 0..<1000 where isOpen {
                isOpen = await connection.send([UInt8](repeating: 1, count: 1000))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(!isOpen)
            #expect(host.uploads.withLock { $0.isEmpty })
            #expect(try host.leftovers().isEmpty)
        }
    }

    @Test func `a body over the limit is refused before it is read, or at its first byte too many`() async throws {
        let host = try Self.host()
        try await RunningServer.with(host, limits: Self.small) { (server) async throws in
            let announced = try server.connection()
            await announced.send(Self.upload(2 << 20))
            #expect(try await announced.answer().status == 413)
            let chunked = try server.connection()
            await chunked.send(
                "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Self.publisher)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 1, count: 0x10000) + Array("\r\n".utf8)
            for _ in 0..<17 { await chunked.send(chunk) }
            let answer = try await chunked.answer()
            #expect(answer.status == 413)
            #expect(answer["content-type"] == "application/problem+json")
            #expect(try host.leftovers().isEmpty)
            let json = try await server.ask(
                "POST", "/v1/versions",
                ["Authorization": "Bearer \(Self.publisher)", "Content-Type": "application/json"],
                body: [UInt8](repeating: 0x20, count: 17 << 20))
            #expect(json.status == 413)
        }
    }

    @Test func `a refused body that goes on does not hold the connection`() async throws {
        try await RunningServer.with(Self.host(), limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send("POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n")
            let answer = try await connection.answer()
            #expect((answer.status, answer["connection"]) == (401, "close"))
            #expect(answer["www-authenticate"] == "Bearer realm=\"packtool\"")
            var isOpen = true
            for _ in 0..<1000 where isOpen {
                isOpen = await connection.send([UInt8](repeating: 1, count: 1000))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(!isOpen)
        }
    }

    @Test func `a client that goes in the middle of an upload leaves nothing`() async throws {
        let host = try Self.host()
        try await RunningServer.with(host) { (server) async throws in
            for isChunked in [false, true] {
                let connection = try server.connection()
                let head =
                    isChunked
                    ? Self.upload(0).replacing("Content-Length: 0", with: "Transfer-Encoding: chunked")
                        + "80000\r\n" : Self.upload(600_000)
                await connection.send(head)
                await connection.send([UInt8](repeating: 7, count: 400_000))
                while try host.leftovers().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                await connection.abort()
                while try !host.leftovers().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            }
            #expect(host.uploads.withLock { $0.isEmpty })
        }
    }

    @Test func `an upload arrives as it was sent, in a whole or in chunks, with or without asking first`() async throws
    {
        let host = try Self.host()
        let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let base64 = Data(Digest(of: bytes).bytes).base64EncodedString()
        try await RunningServer.with(host) { (server) async throws in
            let asking = try server.connection()
            await asking.send(
                Self.upload(bytes.count, extra: "Expect: 100-continue\r\nContent-Digest: sha-256=:\(base64):\r\n"))
            await asking.send(bytes)
            let first = try await asking.answer()
            #expect(first.status == 201)
            #expect(first.text.contains("\"sha256\":\"\(Digest(of: bytes))\""))
            let chunked = try server.connection()
            await chunked.send(
                Self.upload(0).replacing("Content-Length: 0", with: "Transfer-Encoding: chunked"))
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                await chunked.send(Array("186a0\r\n".utf8) + bytes[start..<start + 100_000] + Array("\r\n".utf8))
            }
            await chunked.send("0\r\n\r\n")
            #expect(try await chunked.answer().status == 201)
            let areWhole = host.uploads.withLock { $0 == [bytes, bytes] }
            #expect(areWhole)
            #expect(try host.leftovers().isEmpty)
            let damaged = try server.connection()
            await damaged.send(Self.upload(3, extra: "Content-Digest: sha-256=:\(base64):\r\n") + "abc")
            #expect(try await damaged.answer().status == 400)
        }
    }

    @Test func `uploads over the bound are turned away with the time to come back`() async throws {
        let host = try Self.host()
        var limits = ServerLimits()
        limits.maximumConcurrentUploads = 1
        try await RunningServer.with(host, limits: limits) { (server) async throws in
            let first = try server.connection()
            await first.send(Self.upload(10) + "12345")
            while try host.leftovers().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let second = try await server.ask(
                "POST", "/v1/uploads", ["Authorization": "Bearer \(Self.publisher)"], body: [1])
            #expect((second.status, second["retry-after"]) == (503, "2"))
            await first.send("67890")
            #expect(try await first.answer().status == 201)
        }
    }

    @Test func `what a killed server left is removed at the next start, and what another writes is not`() async throws {
        let host = try Self.host()
        let left = host.uploadFolder.appending(path: "http-upload-old.zip")
        try Data("left".utf8).write(to: left)
        try Data("other".utf8).write(to: host.uploadFolder.appending(path: "somebody.zip"))
        let busy = try UploadFile(folder: host.uploadFolder)
        try await RunningServer.with(host) { (server) async throws in
            _ = try await server.ask("GET", "/health/live")
            #expect(try Set(host.leftovers()) == ["somebody.zip", busy.url.lastPathComponent])
        }
        withExtendedLifetime(busy) {}
    }

    @Test func `an answer that nobody reads does not hold the connection`() async throws {
        let host = try Self.host()
        try host.write([UInt8](repeating: 1, count: 30 << 20), to: "packages/big-1.0.0.zip")
        try await RunningServer.with(host, limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send(RunningServer.request("GET", "/packages/big-1.0.0.zip"))
            #expect(await connection.hasAnswer())
            try await Task.sleep(for: .seconds(3))
            await #expect(throws: RawConnection.Closed.self) { try await connection.answer() }
        }
    }

    @Test func `a client that reads slowly gets the whole answer, however long that takes`() async throws {
        let host = try Self.host()
        try host.write([UInt8](repeating: 1, count: 30 << 20), to: "packages/big-1.0.0.zip")
        try await RunningServer.with(host, limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send(RunningServer.request("GET", "/packages/big-1.0.0.zip"))
            // Four seconds and more, four times the time after which nothing read would end it.
            let answer = try await connection.answer(pause: 8_500)
            #expect(answer.status == 200 && answer.body.count == 30 << 20)
        }
    }

    @Test(arguments: [
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 40_000))\r\n\r\n",
        "GET /metadata/timestamp.json HTTP/1.1\r\nHost: x\r\n"
            + (0..<200).map { "A\($0): b\r\n" }.joined() + "\r\n",
        "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
        "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{03}\u{01}\u{02}",
        "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    ])
    func `a request that is none is refused and the connection closed`(text: String) async throws {
        try await RunningServer.with(Self.host(), limits: Self.short) { (server) async throws in
            let connection = try server.connection()
            await connection.send(text)
            if let answer = try? await connection.answer() { #expect((400...499).contains(answer.status)) }
            #expect(await connection.isClosedByServer())
            #expect(try await server.ask("GET", "/health/live").status == 200)
        }
    }
}
