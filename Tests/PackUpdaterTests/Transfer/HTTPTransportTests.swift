import Foundation
import PackCurl
import PackFormat
import PackUpdaterOnline
import TestSupport
import Testing

@testable import PackUpdater

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct HTTPTransportTests {
    let folder: URL
    let content = HTTPTransportTests.noise
    let target: URL

    private static let noise: [UInt8] = {
        var random = SeededGenerator(seed: 1)
        return (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    }()

    init() throws {
        folder = try Folders.temporary("http")
        try Data(content).write(to: folder.appending(path: "file"))
        target = folder.appending(path: "download")
    }

    var limits: TransferLimits {
        var limits = TransferLimits()
        limits.backoff = .milliseconds(1)
        return limits
    }

    /// For servers that stand still. Elsewhere the standard time holds, so that a machine that pauses is no stall.
    var impatient: TransferLimits {
        var limits = limits
        limits.stall = .seconds(1)
        return limits
    }

    /// What sends the requests: each has to keep the same rules.
    enum Client: String, CaseIterable, CustomTestStringConvertible {
        case urlSession, curl

        var reach: UpdaterNetwork { self == .curl ? .curl : .urlSession }
        var testDescription: String { rawValue }
    }

    func transport(_ server: LocalServer, _ client: Client, limits: TransferLimits? = nil) -> HTTPTransport {
        HTTPTransport(base: server.base, limits: limits ?? self.limits, reach: client.reach)
    }

    @Test(arguments: Client.allCases)
    func `a file is downloaded whole`(client: Client) async throws {
        let server = try LocalServer(folder)
        #expect(try await transport(server, client).download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["file"])
    }

    @Test(arguments: Client.allCases)
    func `what is not there is no error`(client: Client) async throws {
        let server = try LocalServer(folder)
        let transport = transport(server, client)
        #expect(try await !transport.download("none", to: target, maximumByteCount: 10))
        guard case .missing = try await transport.read("none", maximumByteCount: 10, validator: nil) else {
            Issue.record("found")
            return
        }
        #expect(server.requests == ["none", "none"])
    }

    @Test(arguments: Client.allCases)
    func `a download that was cut goes on where it was`(client: Client) async throws {
        let server = try LocalServer(folder) { $0.count < 3 ? .cut(after: 70_000) : .file }
        #expect(try await transport(server, client).download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["file", "file bytes=70000-", "file bytes=140000-"])
    }

    @Test(arguments: Client.allCases)
    func `a download of a process that died is continued by the next`(client: Client) async throws {
        let server = try LocalServer(folder) { $0.count == 1 ? .cut(after: 50_000) : .file }
        var limits = limits
        limits.attempts = 0
        await #expect(throws: UpdateError.self) {
            try await transport(server, client, limits: limits).download(
                "file", to: target, maximumByteCount: content.count)
        }
        #expect(try await transport(server, client).download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["file", "file bytes=50000-"])
    }

    @Test(arguments: Client.allCases)
    func `a file that changed meanwhile is not glued to the old part`(client: Client) async throws {
        let server = try LocalServer(folder) { $0.count == 1 ? .cut(after: 50_000) : .file }
        var limits = limits
        limits.attempts = 0
        _ = try? await transport(server, client, limits: limits).download(
            "file", to: target, maximumByteCount: content.count)
        let other = Array(content.reversed())
        try Data(other).write(to: folder.appending(path: "file"))
        #expect(try await transport(server, client).download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == other)
    }

    @Test(arguments: Client.allCases)
    func `a longer answer is refused before it is here`(client: Client) async throws {
        let server = try LocalServer(folder)
        await #expect(throws: UpdateError.self) {
            try await transport(server, client).download("file", to: target, maximumByteCount: content.count - 1)
        }
        #expect((Durable.size(of: target) ?? 0) == 0)
    }

    /// 256 KiB of gzip that are 256 MiB of zeros.
    private func bomb() async throws -> [UInt8] {
        let file = folder.appending(path: "bomb.gz")
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/sh")
        gzip.arguments = ["-c", "head -c 268435456 /dev/zero | gzip -9 > '\(file.path)'"]
        try gzip.run()
        gzip.waitUntilExit()
        return Array(try Data(contentsOf: file))
    }

    @Test(arguments: Client.allCases)
    func `a compressed answer is refused, and not asked for again`(client: Client) async throws {
        let bomb = try await bomb()
        let server = try LocalServer(folder) { _ in .fields(["Content-Encoding": "gzip", "ETag": "\"x\""], bomb) }
        for path in ["file", "other"] {
            await #expect {
                try await self.transport(server, client).read(path, maximumByteCount: 1 << 20, validator: nil)
            } throws: {
                "\($0)".contains("compressed (gzip), which was not asked for")
            }
        }
        await #expect(throws: UpdateError.self) {
            try await self.transport(server, client).download("file", to: self.target, maximumByteCount: 1 << 30)
        }
        // Once each: what is refused for its coding is not asked for again.
        #expect(server.requests == ["file", "other", "file"])
        #expect((try? Data(contentsOf: target))?.isEmpty ?? true)
    }

    /// `CCurlHandles`, which is linked with every executable of ours and with these tests.
    @Test(arguments: [true, false])
    func `nothing undoes a coding that the request did not allow`(identity: Bool) async throws {
        let coded = Array(try await bomb().prefix(4096))
        let server = try LocalServer(folder) { _ in .fields(["Content-Encoding": "gzip"], coded) }
        var request = URLRequest(url: try #require(URL(string: "file", relativeTo: server.base)))
        if identity { request.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let received = try? await session.data(for: request).0
        if identity { #expect(received == Data(coded)) } else { #expect(received != Data(coded)) }
    }

    @Test(arguments: Client.allCases)
    func `the limit of an answer is not sent`(client: Client) async throws {
        let fields = Locked<[String: String]>([:])
        let server = try LocalServer(folder) { request in
            fields.withLock { $0 = request.headers }
            return .file
        }
        _ = try await transport(server, client).read("file", maximumByteCount: 1 << 20, validator: nil)
        #expect(fields.withLock { $0["accept-encoding"] } == "identity")
        #expect(fields.withLock { $0.keys.filter { $0.contains("packtool") } }.isEmpty)
    }

    @Test(arguments: Client.allCases)
    func `an endless body ends at the limit`(client: Client) async throws {
        let server = try LocalServer(folder) { _ in .endless }
        let transport = transport(server, client)
        await #expect(throws: UpdateError.self) {
            try await transport.download("file", to: target, maximumByteCount: 100_000)
        }
        #expect((Durable.size(of: target) ?? 0) <= 100_000)
        await #expect(throws: UpdateError.self) {
            _ = try await transport.read("file", maximumByteCount: 1000, validator: nil)
        }
        // What the sockets hold, each time, and little else.
        #expect(server.endlessCount < 32 << 20, "\(server.endlessCount >> 20) MiB were taken")
    }

    @Test(arguments: Client.allCases)
    func `a transfer that stands still is given up, and continued`(client: Client) async throws {
        let server = try LocalServer(folder) { $0.count == 1 ? .stall(after: 90_000) : .file }
        let transport = transport(server, client, limits: impatient)
        #expect(try await transport.download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["file", "file bytes=90000-"])
    }

    @Test(arguments: Client.allCases)
    func `a server that always stalls is an error, not a wait for ever`(client: Client) async throws {
        let server = try LocalServer(folder) { _ in .stall(after: 0) }
        await #expect(throws: UpdateError.self) {
            try await transport(server, client, limits: impatient).download(
                "file", to: target, maximumByteCount: content.count)
        }
        #expect(server.requests.count == 4)
    }

    @Test(arguments: Client.allCases)
    func `a part that nobody asked for is refused`(client: Client) async throws {
        let server = try LocalServer(folder) { _ in .wrongRange }
        await #expect(throws: UpdateError.self) {
            try await transport(server, client).download("file", to: target, maximumByteCount: content.count)
        }
    }

    @Test(arguments: Client.allCases)
    func `a busy server is asked again, as often as it may, and no longer than it may`(client: Client) async throws {
        let busy = try LocalServer(folder) { $0.count < 3 ? .status(503, headers: ["Retry-After": "0"]) : .file }
        #expect(try await transport(busy, client).download("file", to: target, maximumByteCount: content.count))
        #expect(busy.requests.count == 3)
        for status in [503, 429] {
            let closed = try LocalServer(folder) { _ in .status(status, headers: ["Retry-After": "86400"]) }
            let error = await #expect(throws: UpdateError.self) {
                try await transport(closed, client).download("file", to: target, maximumByteCount: content.count)
            }
            #expect(closed.requests.count == 1)
            // What a scheduler holds off by.
            guard case .overloaded(_, _, let retryAfter)? = error else {
                Issue.record("\(status) is no overload: \(String(describing: error))")
                continue
            }
            #expect(retryAfter == .seconds(86_400))
        }
    }

    @Test(arguments: Client.allCases)
    func `a partial file that is the whole already is not fetched again`(client: Client) async throws {
        let server = try LocalServer(folder)
        let transport = transport(server, client)
        #expect(try await transport.download("file", to: target, maximumByteCount: content.count))
        #expect(try await transport.download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["file", "file bytes=200000-"])
    }

    @Test(arguments: Client.allCases)
    func `a partial file that a server cannot continue is fetched anew`(client: Client) async throws {
        let server = try LocalServer(folder) {
            switch $0.count {
            case 1: .cut(after: 50_000)
            case 2: .status(416, headers: ["Content-Range": "bytes */49999"])
            default: .file
            }
        }
        #expect(try await transport(server, client).download("file", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["file", "file bytes=50000-", "file"])
    }

    /// A part of 50,000 bytes, and what the server says when it is to be continued.
    private func continued(_ client: Client, _ headers: [String: String], limits: TransferLimits? = nil) async throws
        -> LocalServer
    {
        let server = try LocalServer(folder) {
            switch $0.count {
            case 1: .cut(after: 50_000)
            case 2: .status(206, headers: headers)
            default: .file
            }
        }
        _ = try? await transport(server, client, limits: limits).download(
            "file", to: target, maximumByteCount: content.count)
        return server
    }

    /// The largest that Foundation itself takes on Linux: above it its own conversion traps (Swift 6.3).
    @Test(arguments: Client.allCases)
    func `a length near the largest number is refused, not added up`(client: Client) async throws {
        let range = "bytes 50000-199999/200000"
        // The body never comes. What is expected here is the refusal, however long that takes.
        var limits = limits
        limits.stall = .seconds(5)
        let server = try await continued(
            client, ["Content-Length": "9223372036854774784", "Content-Range": range], limits: limits)
        #expect(server.requests == ["file", "file bytes=50000-"])
        #expect(Durable.size(of: target) == 50_000)
    }

    @Test(arguments: Client.allCases)
    func `a part of another file is not glued to the one that is here`(client: Client) async throws {
        let server = try await continued(client, ["Content-Range": "bytes 50000-49999/50000", "ETag": "\"other\""])
        #expect(server.requests == ["file", "file bytes=50000-", "file"])
        #expect(try Array(Data(contentsOf: target)) == content)
    }

    @Test(arguments: Client.allCases)
    func `a server that gives a few bytes each time is given up`(client: Client) async throws {
        let server = try LocalServer(folder) { _ in .cut(after: 100) }
        await #expect(throws: UpdateError.self) {
            try await transport(server, client).download("file", to: target, maximumByteCount: content.count)
        }
        #expect(server.requests.count == 4)
    }

    @Test(.timeLimit(.minutes(2)), arguments: Client.allCases)
    func `a server that begins anew again and again, and each time with more, is given up`(client: Client) async throws
    {
        let whole = Data(content)
        let server = try LocalServer(folder) { request in
            .tagged("\(request.count)", whole, cutAfter: 66_000 * ((request.count - 1) % 3 + 1))
        }
        await #expect(throws: UpdateError.self) {
            try await transport(server, client).download("file", to: target, maximumByteCount: content.count)
        }
        #expect(server.requests.count < 30, "\(server.requests.count)")
    }

    @Test func `an ETag that is too long to keep, or a note that cannot be read, means starting over`() throws {
        let first = try DownloadFile(target)
        try first.restart(validator: "\"\(String(repeating: "x", count: 2_000))\"")
        try first.append(Data("part".utf8))
        #expect(try DownloadFile(target).offset == 0)
        let second = try DownloadFile(target)
        try second.restart(validator: "\"known\"")
        try second.append(Data("part".utf8))
        #expect(try DownloadFile(target).offset == 4)
        try Data(repeating: 120, count: 5_000).write(to: target.appendingPathExtension("etag"))
        #expect(try DownloadFile(target).offset == 0)
    }

    @Test(arguments: Client.allCases)
    func `a request of a task that was cancelled before it began ends`(client: Client) async throws {
        let server = try LocalServer(folder) { _ in .stall(after: 0) }
        let transport = transport(server, client)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await transport.read("file", maximumByteCount: 10, validator: nil)
        }
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test(arguments: Client.allCases)
    func `an unchanged file costs a 304`(client: Client) async throws {
        let server = try LocalServer(folder)
        let transport = transport(server, client)
        guard
            case .bytes(let bytes, let tag?) = try await transport.read(
                "file", maximumByteCount: content.count, validator: nil)
        else {
            Issue.record("no answer")
            return
        }
        #expect(bytes == content)
        guard case .unchanged = try await transport.read("file", maximumByteCount: content.count, validator: tag) else {
            Issue.record("not a 304")
            return
        }
    }

    @Test(arguments: Client.allCases, [301, 302, 303, 307, 308])
    func `a redirect is followed, and what comes with it is not kept`(client: Client, status: Int) async throws {
        let server = try LocalServer(folder) {
            $0.path == "file" ? .file : .status(status, headers: ["Location": "/file"])
        }
        #expect(try await transport(server, client).download("moved", to: target, maximumByteCount: content.count))
        #expect(try Array(Data(contentsOf: target)) == content)
        #expect(server.requests == ["moved", "file"])
    }

    @Test(arguments: Client.allCases) func `redirects without an end are an error`(client: Client) async throws {
        let server = try LocalServer(folder) { _ in .status(302, headers: ["Location": "/again"]) }
        var limits = limits
        limits.attempts = 0
        await #expect(throws: UpdateError.self) {
            try await transport(server, client, limits: limits).read("file", maximumByteCount: 10, validator: nil)
        }
        #expect(server.requests.count < 30)
    }

    @Test(arguments: Client.allCases) func `nobody there is unreachable, and says why`(client: Client) async throws {
        var limits = limits
        limits.attempts = 0
        let base = try #require(URL(string: "http://127.0.0.1:1"))
        let transport = HTTPTransport(base: base, limits: limits, reach: client.reach)
        let error = await #expect(throws: UpdateError.self) {
            try await transport.read("file", maximumByteCount: 10, validator: nil)
        }
        guard case .unreachable(_, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("127.0.0.1"), "\(reason)")
    }

    @Test(arguments: Client.allCases) func `many downloads at once end, each with its own bytes`(client: Client)
        async throws
    {
        let server = try LocalServer(folder)
        let transport = transport(server, client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let target = folder.appending(path: "download-\(number)")
                group.addTask {
                    _ = try await transport.download("file", to: target, maximumByteCount: self.content.count)
                    #expect(try Array(Data(contentsOf: target)) == self.content)
                }
            }
            try await group.waitForAll()
        }
    }
}
