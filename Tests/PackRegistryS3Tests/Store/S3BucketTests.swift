import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryS3

/// Requests to a real store, which checks signatures.
@Suite("S3BucketTests") struct S3BucketTests {
    @Test func `an object is written, read, found and removed`() async throws {
        let bench = try await S3Bench()
        let bucket = try bench.bucket()
        let bytes = noise(100_000)
        // Names that have to be encoded.
        let name = "packages/a-1.0.0+5 (x)/\u{e9}.zip"
        #expect(try await bucket.info(name) == nil)
        #expect(try await bucket.read(name, from: 0, maximumByteCount: 10) == nil)
        guard case .stored(let tag?) = try await bucket.put(name, bytes, as: .bytes) else {
            Issue.record("no tag")
            return
        }
        #expect(try await bucket.info(name) == S3Bucket.Info(size: bytes.count, tag: tag))
        #expect(try await bucket.read(name, from: 0, maximumByteCount: .max)?.bytes == bytes)
        #expect(try await bucket.read(name, from: 0, maximumByteCount: bytes.count)?.bytes == bytes)
        #expect(try await bucket.read(name, from: 99_998, maximumByteCount: 10)?.bytes == bytes.suffix(2))
        #expect(try await bucket.read(name, from: 7, maximumByteCount: 3)?.bytes == Array(bytes[7..<10]))
        for (offset, count) in [(100_000, 1), (200_000, 5), (5, 0), (-1, 5)] {
            let part = try #require(try await bucket.read(name, from: offset, maximumByteCount: count))
            #expect(part.bytes.isEmpty && part.size == bytes.count)
        }
        #expect(try await bench.listing() == [name: bytes.count])
        try await bucket.remove(name)
        try await bucket.remove(name)
        #expect(try await bucket.info(name) == nil)
        #expect(try await bench.listing().isEmpty)
    }

    @Test func `an empty object is an object`() async throws {
        let bucket = try await S3Bench().bucket()
        try await bucket.put("objects/empty", [], as: .bytes)
        #expect(try await bucket.info("objects/empty")?.size == 0)
        #expect(try await bucket.read("objects/empty", from: 0, maximumByteCount: 10)?.bytes == [])
    }

    /// The rest does not come: the connection ends, and others are free.
    @Test func `the beginning of a large object is read alone`() async throws {
        let bucket = try await S3Bench().bucket()
        let bytes = noise(2 << 20)
        try await bucket.put("packages/a.zip", bytes, as: .bytes)
        let numbers = Array(0..<60)
        let parts = try await ParallelRequests(bucket).map(numbers) { _ in
            try await bucket.read("packages/a.zip", from: 0, maximumByteCount: 10)
        }
        for part in parts { #expect(part?.bytes == Array(bytes.prefix(10)) && part?.size == bytes.count) }
    }

    @Test func `a write has its condition`() async throws {
        let bucket = try await S3Bench().bucket()
        let name = "metadata/timestamp.json"
        func put(_ text: String, if condition: S3Bucket.Condition) async throws -> S3Bucket.Outcome {
            try await bucket.put(name, Array(text.utf8), as: .bytes, if: condition)
        }
        #expect(try await put("0", if: .hasTag("\"0\"")) == .refused)
        guard case .stored(let one?) = try await put("one", if: .isAbsent) else {
            Issue.record("not stored")
            return
        }
        #expect(try await put("two", if: .isAbsent) == .refused)
        guard case .stored(let two?) = try await put("two", if: .hasTag(one)) else {
            Issue.record("not stored")
            return
        }
        #expect(one != two)
        #expect(try await put("three", if: .hasTag(one)) == .refused)
        let part = try #require(try await bucket.read(name, from: 0, maximumByteCount: 10))
        #expect(part.bytes == Array("two".utf8) && part.tag == two)
    }

    @Test func `the store refuses other bytes than the digest says`() async throws {
        let bucket = try await S3Bench().bucket()
        let other = Digest(of: [1])
        let error = await #expect(throws: RegistryError.self) {
            try await bucket.put("objects/a", [2], as: .bytes, digest: other)
        }
        #expect(error?.kind == .unusable)
        #expect(try await bucket.info("objects/a") == nil)
    }

    @Test func `a large file goes in parts`() async throws {
        var limits = S3Bench.quick
        limits.wholeByteCount = 6 << 20
        limits.partByteCount = 5 << 20
        limits.partsAtOnce = 2
        limits.attempt = .seconds(20)
        let bench = try await S3Bench(limits: limits)
        let bucket = try bench.bucket()
        let bytes = noise((12 << 20) + 12_345)
        let file = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let digest = Digest(of: bytes)
        let kind = S3Kind(mediaType: "application/zip", cacheControl: CacheControl.immutable)
        try await bucket.put("packages/a.zip", file: file, size: bytes.count, digest: digest, as: kind)
        let part = try #require(try await bucket.read("packages/a.zip", from: 0, maximumByteCount: .max))
        #expect(part.bytes == bytes)

        // A file that has become another one is not stored under its name.
        let error = await #expect(throws: RegistryError.self) {
            try await bucket.put("packages/b.zip", file: file, size: bytes.count, digest: Digest(of: []), as: kind)
        }
        #expect(error?.kind == .unusable)
        let short = await #expect(throws: RegistryError.self) {
            try await bucket.put("packages/c.zip", file: file, size: bytes.count + 1, digest: digest, as: kind)
        }
        #expect(short?.message.contains("shorter") == true)
        #expect(try await bench.listing() == ["packages/a.zip": bytes.count])
    }

    @Test func `readers get the type and the caching that serve gives`() async throws {
        let bench = try await S3Bench()
        let store = try await bench.store()
        let paths: [ViewPath] = [
            .metadata(.root, version: 1), .object(Digest(of: [1])), .recent(snapshot: 3),
            .patch(from: nil, to: Digest(of: [2])),
        ]
        try await store.view.put(paths.map { path in ViewFile(path) { [1] } })
        try await store.view.show(Array("{}".utf8), replacing: nil)
        let bucket = try bench.bucket()
        for path in paths + [.timestamp] {
            let answer = try await bucket.client.send(
                S3Request(method: "HEAD", key: bucket.client.location.key(path.description)), expecting: [200])
            #expect(answer.field("Content-Type") == path.mediaType.description, "\(path)")
            #expect(answer.field("Cache-Control") == path.cacheControl, "\(path)")
        }
    }

    @Test func `a list goes over pages and has no neighbours`() async throws {
        let bench = try await S3Bench()
        let bucket = try bench.bucket()
        let names = (0..<1_050).map { "objects/\($0 % 7)/\($0)" }
        try await ParallelRequests(bucket).forEach(names) { try await bucket.put($0, [1, 2, 3], as: .bytes) }
        try await bucket.put("metadata/a", [1], as: .bytes)
        let store = try await bench.store()
        var found: [String] = []
        var pages = 0
        try await store.view.list("objects/") { files in
            pages += 1
            #expect(files.allSatisfy { $0.size == 3 && $0.path == nil })
            found += files.map(\.name)
        }
        #expect(Set(found) == Set(names) && found.count == names.count)
        #expect(pages == 2)
    }

    @Test func `the bucket may be in the name of the host`() async throws {
        let bench = try await S3Bench()
        let host = "\(SeaweedServer.bucket).\(SeaweedServer.domain)"
        let text =
            "s3://\(SeaweedServer.bucket)/\(bench.prefix)?endpoint=http://\(SeaweedServer.domain):\(bench.server.port)"
        let bucket = try S3Store.bucket(
            at: S3Address("\(text)&region=\(SeaweedServer.region)&style=host"), environment: bench.server.environment,
            limits: bench.limits, hosts: [host: "127.0.0.1"])
        #expect(bucket.client.location.host == "\(host):\(bench.server.port)")
        try await bucket.put("metadata/a b", [1, 2], as: .bytes)
        #expect(try await bucket.read("metadata/a b", from: 0, maximumByteCount: 9)?.bytes == [1, 2])
        #expect(try await bucket.list("").objects.map(\.name) == ["metadata/a b"])
        #expect(try await bench.listing() == ["metadata/a b": 2])
    }

    @Test func `wrong credentials and a wrong bucket are told apart`() async throws {
        let bench = try await S3Bench()
        var environment = bench.server.environment
        environment["AWS_SECRET_ACCESS_KEY"] = "another"
        let secret = try S3Store.bucket(at: bench.address(), environment: environment, limits: bench.limits)
        let refused = await #expect(throws: RegistryError.self) { try await secret.put("a", [1], as: .bytes) }
        #expect(refused?.kind == .unusable)
        #expect(refused?.message.contains("from the variable AWS_ACCESS_KEY_ID") == true)
        #expect(refused?.message.contains("another") == false)

        let address = try S3Address("s3://no-such-bucket?endpoint=\(bench.server.endpoint)")
        let missing = await #expect(throws: RegistryError.self) {
            try await S3Store.open(address, environment: bench.server.environment, limits: bench.limits)
        }
        #expect(missing?.kind == .notFound)
    }

    @Test func `nobody at the address is said soon`() async throws {
        let port = try LoopbackPort.free(1)[0]
        var limits = S3Bench.quick
        limits.firstPatience = .milliseconds(500)
        let address = try S3Address("s3://packages?endpoint=http://127.0.0.1:\(port)")
        let begun = ContinuousClock.now
        let error = await #expect(throws: RegistryError.self) {
            try await S3Store.open(
                address, environment: ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"], limits: limits)
        }
        #expect(error?.kind == .unreachable)
        #expect(.now - begun < .seconds(5))
    }
}
