import Foundation
import PackFormat
import PackTrust
import Synchronization
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// What the client makes of a registry that is busy, or not there.
struct RemoteRetryTests {
    static func host() throws -> FolderHost {
        try FolderHost(
            ["metadata/timestamp.json": [1]],
            tokens: ["ptk_a": Identity(name: "a", scope: TokenScope(actions: [.admin]))])
    }

    @Test func `a busy registry is asked again when it says, for it says that nothing was done`() async throws {
        let host = try Self.host()
        var limits = ServerLimits()
        limits.maximumConcurrentWrites = 0
        limits.maximumConcurrentUploads = 0
        let pauses = Mutex<[Duration]>([])
        try await RunningServer.with(host, limits: limits) { (server) async throws in
            var retry = RetryPolicy()
            retry.sleep = { pause in pauses.withLock { $0.append(pause) } }
            let remote = try RemoteRegistry(server.url, token: "ptk_a", retry: retry)
            let busy = await #expect(throws: RegistryError.self) { try await remote.missingObjects(of: [1]) }
            #expect(busy?.kind == .busy)
            #expect(pauses.withLock { $0 } == [Duration](repeating: .seconds(2), count: 4))
            pauses.withLock { $0 = [] }
            let change = await #expect(throws: RegistryError.self) {
                try await remote.change(.retry(), of: PackageID("checkout"), on: ChannelName("beta"))
            }
            #expect(change?.kind == .busy)
            #expect(pauses.withLock { $0 } == [Duration](repeating: .seconds(2), count: 4))
        }
    }

    @Test func `a server that starts anew is waited for, and somebody is told`() async throws {
        let shop = try await Shop()
        let port = try LoopbackPort.free(1)[0]
        let (told, tell) = AsyncStream<String>.makeStream()
        var retry = RetryPolicy()
        retry.firstPause = .milliseconds(100)
        retry.patience = .seconds(120)
        retry.notice = { tell.yield($0) }
        let token = try await ServeProcessTests.token(shop)
        let remote = try RemoteRegistry("http://127.0.0.1:\(port)", token: token, retry: retry)
        // What changes the registry too: nobody was there to do it.
        async let made = remote.createToken(
            TokenRequest(name: "late", scope: TokenScope(actions: [.observe]), expires: nil))
        var lines = told.makeAsyncIterator()
        let line = try #require(await lines.next())
        #expect(line.hasPrefix("the registry at http://127.0.0.1:\(port) cannot be reached ("), "\(line)")
        #expect(line.hasSuffix("): trying again for 120 s"), "\(line)")
        let server = try ServeProcessTests.start(shop, port: port)
        #expect(try await made.record.name == "late")
        tell.finish()
        #expect(await lines.next() == nil, "it is said once")
        server.signal(SIGTERM)
        #expect(try await server.end() == 0)
    }

    @Test(arguments: [nil, 502, 504])
    func `what was perhaps done is not asked twice`(status: Int?) async throws {
        let asked = Mutex<[String: Int]>([:])
        let server = try await LoopbackServer { request in
            asked.withLock { $0[request.method, default: 0] += 1 }
            return status.map { .answer($0) } ?? .close
        }
        defer { server.stop() }
        var retry = RetryPolicy()
        retry.sleep = { _ in }
        let remote = try RemoteRegistry(server.endpoint, token: "ptk_a", retry: retry)
        let read = await #expect(throws: RegistryError.self) { try await remote.overview() }
        let change = await #expect(throws: RegistryError.self) {
            try await remote.change(.retry(), of: PackageID("checkout"), on: ChannelName("beta"))
        }
        #expect(read?.kind == .unreachable && change?.kind == .unreachable)
        let counts = asked.withLock { $0 }
        // 20 s with pauses of 4 s at most.
        #expect(counts["POST"] == 1 && (5...12).contains(counts["GET"] ?? 0), "\(counts)")
    }

    @Test func `the pause grows where the registry names none, and has a bound`() {
        let policy = RetryPolicy()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for attempt in 1..<policy.maximumAttempts {
            let middle = policy.firstPause * (1 << (attempt - 1))
            let pause = policy.pause(afterAttempt: attempt, retryAfter: nil, now: now) ?? .zero
            #expect(pause >= middle / 2 && pause <= middle * 3 / 2)
        }
        #expect(policy.pause(afterAttempt: policy.maximumAttempts, retryAfter: nil, now: now) == nil)
        #expect(policy.pause(afterAttempt: 1, retryAfter: "999999999", now: now) == policy.longestPause)
        #expect(policy.pause(afterAttempt: 1, retryAfter: "Fri, 15 Jan 2027 08:00:10 GMT", now: now) == .seconds(10))
    }

    @Test func `a large upload streams from its file and arrives whole`() async throws {
        let host = try Self.host()
        let bytes = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
        let file = host.folder.appending(path: "upload.bin")
        try Data(bytes).write(to: file)
        try await RunningServer.with(host) { (server) async throws in
            let remote = try RemoteRegistry(server.url, token: "ptk_a")
            #expect(try await remote.upload(archive: file) == Digest(of: bytes))
            #expect(try host.leftovers().isEmpty)
        }
    }
}
