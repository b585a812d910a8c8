import Foundation
import PackArchive
import PackFormat
import Synchronization
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryS3

@Suite("S3ContentStoreTests") struct S3ContentStoreTests {
    /// A zip with `pack.json` and the files, in a folder that goes with it.
    private final class Package {
        let folder: URL
        let zip: URL
        let manifest: Manifest

        /// - Parameter left: files of the manifest that the zip leaves out.
        init(_ files: [String: [UInt8]], without left: Set<String> = []) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var listed: [PackagePath: Manifest.File] = [:]
            for (name, bytes) in files {
                listed[try PackagePath(name)] = Manifest.File(digest: Digest(of: bytes), size: bytes.count)
            }
            manifest = try Manifest(
                package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: nil, files: listed)
            zip = folder.appending(path: "shop.zip")
            let entries = files.filter { !left.contains($0.key) }.sorted { $0.key < $1.key }
            try ArchiveWriter.write(
                [ContentRequest(.bytes(manifest.bytes), path: PackagePath(Manifest.fileName))]
                    + entries.map { try ContentRequest(.bytes($0.value), path: PackagePath($0.key)) }, to: zip)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// Stores its objects as an upload does. The zip is there until they are.
        /// - Parameter isRecorded: whether the registry has recorded them before.
        func send(to content: any ContentStore, isRecorded: Bool = true) async throws {
            try await content.open(archive: zip).storeObjects(recorded: isRecorded ? manifest.ownObjects : [])
        }
    }

    @Test func `an upload's objects are stored once, and nothing is left on this machine`() async throws {
        var limits = S3Bench.quick
        limits.smallByteCount = 10_000
        let bench = try await S3Bench(limits: limits)
        let scratch = FileManager.default.temporaryDirectory.appending(path: "scratch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let content = S3ContentStore(try bench.bucket(endpoint: proxy.endpoint), scratch: scratch)
        let files = ["index.html": noise(2_000), "app.js": noise(30_000, seed: 2), "copy.js": noise(30_000, seed: 2)]
        let package = try Package(files)
        let objects = package.manifest.ownObjects
        #expect(try await content.missing(among: objects) == Set(objects.map(\.digest)))
        try await package.send(to: content)
        #expect(try await content.missing(among: objects).isEmpty)
        var expected: [String: Int] = [:]
        for object in objects { expected[ViewPath.object(object.digest).description] = object.size }
        #expect(expected.count == 2)
        #expect(try await bench.listing() == expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        for bytes in files.values {
            let part = try await bench.bucket().read(
                ViewPath.object(Digest(of: bytes)).description, from: 0, maximumByteCount: .max)
            #expect(part?.bytes == bytes)
        }
        proxy.plan { _, _ in .none }
        try await package.send(to: content)
        #expect(proxy.seen.isEmpty)
        // Whoever was not asked before asks once for each object.
        let other = S3ContentStore(try bench.bucket(endpoint: proxy.endpoint), scratch: scratch)
        try await package.send(to: other)
        #expect(proxy.seen.allSatisfy { $0.hasPrefix("HEAD ") } && proxy.seen.count == 2)
    }

    @Test func `an object that was removed since it was asked for is stored again`() async throws {
        let bench = try await S3Bench()
        let content = try await bench.store().content()
        let bytes = noise(5_000)
        let package = try Package(["index.html": bytes])
        try await package.send(to: content)
        let name = ViewPath.object(Digest(of: bytes)).description
        try await bench.store().view.remove(listed: [name])
        try await package.send(to: content, isRecorded: false)
        #expect(try await bench.bucket().read(name, from: 0, maximumByteCount: .max)?.bytes == bytes)
    }

    @Test func `each object of a publication is asked for once`() async throws {
        let bench = try await S3Bench()
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let kept = Mutex<[String: Int]>([:])
        let content = S3ContentStore(
            try bench.bucket(endpoint: proxy.endpoint), scratch: FileManager.default.temporaryDirectory
        ) { object, file in
            let size = (try? Data(contentsOf: file))?.count
            kept.withLock { $0[object.digest.hex] = size }
        }
        let (old, new) = (noise(1_000), noise(2_000, seed: 2))
        try await Package(["old.js": old]).send(to: content)
        let package = try Package(["old.js": old, "new.js": new], without: ["old.js"])
        proxy.plan { _, _ in .none }
        #expect(try await content.missing(among: package.manifest.ownObjects) == [Digest(of: new)])
        try await package.send(to: content)
        #expect(proxy.seen.map { String($0.prefix { $0 != " " }) }.sorted() == ["HEAD", "HEAD", "PUT"])
        #expect(kept.withLock { $0 } == [Digest(of: old).hex: 1_000, Digest(of: new).hex: 2_000])
    }

    @Test func `what the registry has recorded is not asked for, in whatever version it comes`() async throws {
        let bench = try await S3Bench()
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let content = S3ContentStore(
            try bench.bucket(endpoint: proxy.endpoint), scratch: FileManager.default.temporaryDirectory)
        let (old, new) = (noise(1_000), noise(2_000, seed: 2))
        try await Package(["old.js": old]).send(
            to: S3ContentStore(try bench.bucket(), scratch: FileManager.default.temporaryDirectory))
        let package = try Package(["old.js": old, "new.js": new], without: ["old.js"])
        let recorded = package.manifest.ownObjects.filter { $0.digest == Digest(of: old) }
        proxy.plan { _, _ in .none }
        #expect(content.believed(among: recorded) == [Digest(of: old)])
        let asked = package.manifest.ownObjects.filter { $0.digest != Digest(of: old) }
        #expect(try await content.missing(among: asked) == [Digest(of: new)])
        try await package.send(to: content)
        #expect(proxy.seen.map { String($0.prefix { $0 != " " }) }.sorted() == ["HEAD", "PUT"])
    }

    @Test func `what is small and not recorded is sent without a question`() async throws {
        let bench = try await S3Bench()
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let content = S3ContentStore(
            try bench.bucket(endpoint: proxy.endpoint), scratch: FileManager.default.temporaryDirectory)
        let (small, large) = (noise(1_000), noise(300_000, seed: 2))
        let package = try Package(["small.js": small, "large.js": large])
        proxy.plan { _, _ in .none }
        #expect(content.unlikely(among: package.manifest.ownObjects) == [Digest(of: small)])
        let asked = package.manifest.ownObjects.filter { $0.digest == Digest(of: large) }
        #expect(try await content.missing(among: asked) == [Digest(of: large)])
        try await package.send(to: content)
        #expect(proxy.seen.map { String($0.prefix { $0 != " " }) }.sorted() == ["HEAD", "PUT", "PUT"])
    }

    @Test func `what another server has stored since it was missing need not be sent`() async throws {
        let bench = try await S3Bench()
        let (one, other) = (
            S3ContentStore(try bench.bucket(), scratch: FileManager.default.temporaryDirectory),
            S3ContentStore(try bench.bucket(), scratch: FileManager.default.temporaryDirectory)
        )
        let bytes = noise(1_000)
        let package = try Package(["app.js": bytes])
        #expect(try await one.missing(among: package.manifest.ownObjects).count == 1)
        try await package.send(to: other)
        try await Package(["app.js": bytes], without: ["app.js"]).send(to: one)
    }

    @Test func `an object of another size is damaged, and healed by the same upload`() async throws {
        let bench = try await S3Bench()
        let content = try await bench.store().content()
        let bytes = noise(5_000)
        let package = try Package(["index.html": bytes])
        try await package.send(to: content)
        let name = ViewPath.object(Digest(of: bytes)).description
        try await bench.bucket().put(name, [1, 2, 3], as: .bytes)
        #expect(try await content.missing(among: package.manifest.ownObjects).count == 1)
        try await package.send(to: content)
        #expect(try await bench.bucket().read(name, from: 0, maximumByteCount: .max)?.bytes == bytes)
    }

    @Test func `what is neither in the upload nor in the store is named`() async throws {
        let bench = try await S3Bench()
        let content = try await bench.store().content()
        let package = try Package(["index.html": noise(10), "app.js": noise(20)], without: ["app.js"])
        let upload = try await content.open(archive: package.zip)
        let error = await #expect(throws: RegistryError.self) { try await upload.storeObjects(recorded: []) }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains("\"app.js\"") == true)
        #expect(try await bench.listing().keys.sorted() == [ConditionalWrites.name])
    }

    @Test func `a store that fails in the middle is completed by the next upload`() async throws {
        var limits = S3Bench.quick
        limits.patience = .milliseconds(300)
        let bench = try await S3Bench(limits: limits)
        let proxy = try await FaultProxy(before: bench.server.endpoint)
        let content = try await bench.store(endpoint: proxy.endpoint).content()
        var files: [String: [UInt8]] = [:]
        for number in 0..<40 { files["\(number).js"] = noise(1_000, seed: UInt64(number)) }
        let package = try Package(files)
        proxy.plan { request, number in
            request.method == "PUT" && number > 60 ? .refuse(status: 503, code: "SlowDown") : .none
        }
        let upload = try await content.open(archive: package.zip)
        let error = await #expect(throws: RegistryError.self) { try await upload.storeObjects(recorded: []) }
        #expect(error?.kind == .busy)
        proxy.plan { _, _ in .none }
        let left = try await content.missing(among: package.manifest.ownObjects)
        #expect(!left.isEmpty && left.count < 40)
        try await package.send(to: content)
        #expect(try await content.missing(among: package.manifest.ownObjects).isEmpty)
    }
}
