import Foundation
import PackFormat
import Synchronization
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryS3

/// A network and a store that misbehave: what is asked is done or fails cleanly, and never is a wrong byte believed.
@Suite("S3FaultTests") struct S3FaultTests {
    /// A view behind a proxy.
    private struct Scene {
        let bench: S3Bench
        let proxy: FaultProxy
        let view: any RemoteViewStore
        let bucket: S3Bucket

        init(limits: S3Limits = S3Bench.quick) async throws {
            bench = try await S3Bench(limits: limits)
            proxy = try await FaultProxy(before: bench.server.endpoint)
            view = try await bench.store(endpoint: proxy.endpoint).view
            bucket = try bench.bucket(endpoint: proxy.endpoint)
            // From here on a store that is away has been there before.
            _ = try await bucket.info("nothing")
        }
    }

    private static let path = ViewPath.metadata(.targets, version: 1)

    private static func isWrite(_ request: LoopbackServer.Request) -> Bool { request.method == "PUT" }

    @Test(arguments: [
        FaultProxy.Fault.drop, .loseAnswer, .refuse(status: 503, code: "SlowDown"),
        .refuse(status: 500, code: "InternalError"), .refuse(status: 503, code: "ServiceUnavailable"),
        .refuse(status: 409, code: "ConditionalRequestConflict"), .refuse(status: 400, code: "RequestTimeout"),
        .refuse(status: 400, code: "BadDigest"), .delay(.seconds(2)), .cutAnswer, .cutRequest,
    ])
    func `a fault that passes is not noticed`(fault: FaultProxy.Fault) async throws {
        let scene = try await Scene()
        let bytes = noise(50_000)
        // The first request of each kind meets it.
        let met = Mutex(Set<String>())
        scene.proxy.plan { request, _ in
            met.withLock { $0.insert("\(request.method) \(request.path)").inserted } ? fault : .none
        }
        let (one, two) = (Array("one".utf8), Array("two".utf8))
        #expect(try await scene.view.put([ViewFile(Self.path) { bytes }]) == [Self.path])
        #expect(try await scene.view.read(Self.path, maximumByteCount: 1 << 20) == bytes)
        try await scene.view.show(one, replacing: nil)
        met.withLock { $0 = [] }
        try await scene.view.show(two, replacing: one)
        met.withLock { $0 = [] }
        #expect(try await scene.view.read(.timestamp, maximumByteCount: 10) == two)
        met.withLock { $0 = [] }
        await #expect(throws: StaleView()) { try await scene.view.show(one, replacing: one) }
        met.withLock { $0 = [] }
        try await scene.view.remove([Self.path])
        let left = try await scene.bench.listing().keys.sorted()
        #expect(left == [ConditionalWrites.name, ViewPath.timestamp.description])
    }

    @Test(arguments: [
        FaultProxy.Fault.drop, .refuse(status: 503, code: "SlowDown"), .refuse(status: 500, code: ""), .cutAnswer,
    ])
    func `a fault that stays is told within the deadline`(fault: FaultProxy.Fault) async throws {
        var limits = S3Bench.quick
        limits.patience = .seconds(1)
        let scene = try await Scene(limits: limits)
        try await scene.view.show([1], replacing: nil)
        scene.proxy.plan { _, _ in fault }
        let begun = ContinuousClock.now
        let error = await #expect(throws: RegistryError.self) {
            try await scene.bucket.read(ViewPath.timestamp.description, from: 0, maximumByteCount: 10)
        }
        #expect([.busy, .unreachable].contains(error?.kind))
        #expect(.now - begun < .seconds(4))
        #expect(scene.proxy.seen.count > 2)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `a store that stands still is given up and asked again`() async throws {
        var limits = S3Bench.quick
        limits.attempt = .milliseconds(500)
        let scene = try await Scene(limits: limits)
        scene.proxy.plan { _, number in number == 1 ? .delay(.seconds(20)) : .none }
        let begun = ContinuousClock.now
        try await scene.view.show([1], replacing: nil)
        #expect(.now - begun < .seconds(5))
    }

    @Test func `a cancelled task does not wait for the store`() async throws {
        let scene = try await Scene()
        scene.proxy.plan { _, _ in .delay(.seconds(20)) }
        let task = Task { try await scene.bucket.info("a") }
        try await Task.sleep(for: .milliseconds(300))
        let begun = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(.now - begun < .seconds(2))
    }

    @Test func `a changed byte is noticed by the checksum, and read again`() async throws {
        let scene = try await Scene()
        let bytes = noise(10_000)
        try await scene.bucket.put("metadata/x", bytes, as: .bytes)
        scene.proxy.plan { _, number in number < 3 ? .flip : .none }
        #expect(try await scene.bucket.read("metadata/x", from: 0, maximumByteCount: 1 << 20)?.bytes == bytes)
        #expect(scene.proxy.seen.count == 3)
    }

    @Test func `a timestamp whose answer was lost is not shown twice, and one that lost is not believed`() async throws
    {
        let scene = try await Scene()
        try await scene.view.show([1], replacing: nil)
        scene.proxy.plan { request, number in Self.isWrite(request) && number == 1 ? .loseAnswer : .none }
        try await scene.view.show([2], replacing: [1])
        // Somebody else shows another one between the write whose answer is lost and its repetition.
        let other = try await scene.bench.store().view
        scene.proxy.plan { request, number in Self.isWrite(request) && number == 1 ? .loseAnswer : .none }
        let showing = Task { try await scene.view.show([3], replacing: [2]) }
        while try await other.read(.timestamp, maximumByteCount: 1) == [2] {}
        let isOver: Bool
        do { isOver = try await other.show([4], replacing: [3]) == () } catch is StaleView { isOver = false }
        let result = await showing.result
        let shown = try await other.read(.timestamp, maximumByteCount: 1)
        #expect(isOver && shown == [4])
        switch result {
        case .success: break  // It looked before the other one came.
        case .failure(let error): #expect(error is StaleView)
        }
    }

    /// A store that answers with what was there before: the write is refused, and nothing goes backwards.
    @Test func `a stale answer does not move the view backwards`() async throws {
        let scene = try await Scene()
        try await scene.view.show([1], replacing: nil)
        let reader = try await scene.bench.store(endpoint: scene.proxy.endpoint).view
        #expect(try await reader.read(.timestamp, maximumByteCount: 9) == [1])
        try await scene.view.show([2], replacing: [1])
        scene.proxy.plan { request, _ in request.method == "GET" ? .stale : .none }
        #expect(try await reader.read(.timestamp, maximumByteCount: 9) == [1])
        await #expect(throws: StaleView()) { try await reader.show([3], replacing: [1]) }
        scene.proxy.plan { _, _ in .none }
        #expect(try await reader.read(.timestamp, maximumByteCount: 9) == [2])
        try await reader.show([3], replacing: [2])
    }

    /// Amazon's stores accept a clock that is off by 15 minutes.
    @Test func `the store's clock counts where this machine's is wrong`() async throws {
        let bench = try await S3Bench()
        for minutes in [-40.0, 40] {
            let bucket = try bench.bucket { Date().addingTimeInterval(minutes * 60) }
            try await bucket.put("metadata/\(minutes)", [1], as: .bytes)
            #expect(try await bucket.read("metadata/\(minutes)", from: 0, maximumByteCount: 9)?.bytes == [1])
        }
    }

    @Test func `a large file arrives whole or not at all`() async throws {
        var limits = S3Bench.quick
        limits.wholeByteCount = 5 << 20
        limits.partByteCount = 5 << 20
        limits.attempt = .seconds(10)
        limits.patience = .seconds(20)
        let scene = try await Scene(limits: limits)
        let bytes = noise(11 << 20)
        let file = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = ViewPath.object(Digest(of: bytes))
        func put() async throws {
            try await scene.view.put(.view(path), file: file, size: bytes.count, digest: Digest(of: bytes))
        }
        // Every other request is lost, on the way there or back.
        scene.proxy.plan { request, number in
            switch number % 4 {
            case 1: .drop
            case 3: request.query == "uploads=" ? .none : .loseAnswer
            default: .none
            }
        }
        try await put()
        scene.proxy.plan { _, _ in .none }
        #expect(try await scene.view.read(path, maximumByteCount: 20 << 20) == bytes)
        try await scene.view.remove([path])
        // The second part is refused for good: nothing is there, and nothing is left of the upload.
        scene.proxy.plan { request, _ in
            request.query.contains("partNumber=2") ? .refuse(status: 403, code: "AccessDenied") : .none
        }
        let error = await #expect(throws: RegistryError.self) { try await put() }
        #expect(error?.kind == .unusable)
        // Nothing is asked for after the end of the upload; a part that was on its way may be seen later.
        let seen = scene.proxy.seen
        let end = try #require(seen.lastIndex { $0.hasPrefix("DELETE") }, "\(seen)")
        #expect(seen[end...].dropFirst().allSatisfy { $0.hasPrefix("PUT") }, "\(seen)")
        #expect(try await scene.bucket.info(path.description) == nil)
    }

    /// Requests that are spoiled at random: each ends rightly or with an error, and what is read is what was written.
    @Test(arguments: [1, 2, 3, 4]) func `no order of faults brings a wrong byte`(seed: UInt64) async throws {
        var limits = S3Bench.quick
        limits.attempt = .milliseconds(800)
        limits.patience = .seconds(1)
        limits.longestPause = .milliseconds(50)
        let scene = try await Scene(limits: limits)
        scene.proxy.spoil(seed: seed, sides: 24, delay: .milliseconds(900))
        // What may be there: the last one that was acknowledged, or one since whose end nobody heard.
        var possible: [[UInt8]?] = [nil]
        var (done, failed) = (0, 0)
        for number in 1...25 {
            let bytes = noise(3_000, seed: seed &* 1_000 &+ UInt64(number))
            let path = ViewPath.metadata(.snapshot, version: number)
            do {
                try await scene.view.put([ViewFile(path) { bytes }])
                let read = try await scene.view.read(path, maximumByteCount: 1 << 20)
                #expect(read == bytes, "\(path)")
                let shown = try await scene.view.read(.timestamp, maximumByteCount: 1 << 20)
                #expect(possible.contains(shown))
                possible.append(bytes)
                try await scene.view.show(bytes, replacing: shown)
                possible = [bytes]
                done += 1
            } catch let error as RegistryError {
                #expect([.busy, .unreachable].contains(error.kind), "\(error)")
                failed += 1
            } catch is StaleView {
                // A write whose answer was lost came through since it was read.
                failed += 1
            }
        }
        #expect(done > 5, "\(failed) of 25 failed")
        let last = try await scene.bench.store().view.read(.timestamp, maximumByteCount: 1 << 20)
        #expect(possible.contains(last))
    }

    @Test func `a store that is killed is waited for`() async throws {
        var limits = S3Bench.quick
        limits.patience = .seconds(60)
        let server = try await SeaweedServer()
        let store = try await S3Store.open(
            S3Address(server.address(prefix: "shop")), environment: server.environment, limits: limits)
        try await store.view.show([0], replacing: nil)
        for number in UInt8(1)...2 {
            let path = ViewPath.metadata(.snapshot, version: Int(number))
            try server.killServer()
            try await store.view.put([ViewFile(path) { [number] }])
            try await store.view.show([number], replacing: [number - 1])
            #expect(try await store.view.read(path, maximumByteCount: 9) == [number])
        }
        #expect(try await store.view.read(.timestamp, maximumByteCount: 9) == [2])
    }
}
