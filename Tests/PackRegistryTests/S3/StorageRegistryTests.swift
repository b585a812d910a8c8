import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// A registry whose files are in remote storage, here in memory, and whose folder has copies of them.
@Suite("StorageRegistryTests") struct StorageRegistryTests {
    private let storage = MemoryStorage()

    private func removeCopies(of shop: Shop) throws { try FileManager.default.removeItem(at: shop.local.viewFolder) }

    private func publish(_ versions: String..., in shop: Shop) async throws {
        let publisher = try shop.publisher()
        for text in versions {
            _ = try await publisher.publish([shop.page(text).zip])
            _ = try await shop.registry.change(.offer(version(text), .everyone), of: package(), on: channel())
        }
    }

    /// Names without what differs from registry to registry: the digests of channel files.
    private static func shape(_ names: Set<String>) -> Set<String> {
        Set(names.map { $0.replacing(/targets\/channels\/[0-9a-f]{64}/, with: "targets/channels/HASH") })
    }

    @Test func `the storage has the same files as a folder`() async throws {
        let (stored, plain) = (try await Shop(storage: storage), try await Shop())
        for shop in [stored, plain] {
            try await publish("1.0.0", "1.1.0", in: shop)
            try await shop.local.maintain()
            #expect(try await shop.local.makeEncodings())
        }
        #expect(Self.shape(storage.names) == Self.shape(try plain.viewListing))
        #expect(storage.mark != nil)
        for name in storage.names
        where ["objects/", "patches/", "packages/", "encoded/"].contains(where: name.hasPrefix) {
            let bytes = try Data(contentsOf: plain.local.viewFolder.appending(path: name))
            #expect(storage.bytes(name) == [UInt8](bytes), "\(name)")
        }
    }

    @Test func `copies may be lost at any time, and a damaged file is not copied`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        try removeCopies(of: shop)
        try await publish("1.1.0", in: shop)
        try await shop.local.maintain()
        try removeCopies(of: shop)
        for name in storage.names {
            #expect(try await shop.local.fetch(name), "\(name)")
            let copy = try Data(contentsOf: shop.local.viewFolder.appending(path: name))
            #expect(storage.bytes(name) == [UInt8](copy), "\(name)")
        }
        #expect(try shop.viewListing == storage.names)
        #expect(try await !shop.local.fetch("packages/checkout-9.9.9.zip"))
        #expect(try await !shop.local.fetch("../keys/online.json"))
        try removeCopies(of: shop)
        let object = try #require(storage.names.first { $0.hasPrefix("objects/") })
        storage.set(object, [1, 2, 3])
        let error = await #expect(throws: RegistryError.self) { try await shop.local.fetch(object) }
        #expect(error?.kind == .unusable && error?.message.contains(object) == true)
        #expect(try !shop.viewListing.contains(object))
    }

    @Test func `many who ask for one file cause one request`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        try removeCopies(of: shop)
        let object = try #require(storage.names.first { $0.hasPrefix("objects/") })
        _ = storage.takeRequestCount()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...20 { group.addTask { try await shop.local.fetch(object) } }
            for try await isThere in group { #expect(isThere) }
        }
        // Those that came when the copy was being put in place may have asked once more.
        #expect(storage.takeRequestCount() < 10)
    }

    @Test func `a registry that nobody changes asks the storage for nothing`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        try await shop.local.maintain()
        _ = storage.takeRequestCount()
        for _ in 1...3 { try await shop.local.maintain() }
        #expect(storage.takeRequestCount() == 0)
        #expect(try await shop.local.isShown())
    }

    @Test func `storage that is away is said, and soon said again`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        let copies = try shop.viewListing
        let absent = try #require(storage.names.first { !copies.contains($0) && !$0.hasPrefix("metadata/timestamp") })
        storage.setAway(true)
        for _ in 1...2 {
            let error = await #expect(throws: RegistryError.self) { try await shop.local.fetch(absent) }
            #expect(error?.kind == .unreachable)
        }
        // What is here is served.
        #expect(try await shop.local.fetch("metadata/timestamp.json"))
        storage.setAway(false)
        await #expect(throws: RegistryError.self) { try await shop.local.fetch(absent) }
    }

    @Test func `lost files of the storage are written and made again by a check`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        try await shop.local.maintain()
        let before = storage.names
        let lost = before.filter { $0.hasPrefix("targets/") || $0.hasPrefix("packages/") || $0.hasSuffix("full.zst") }
        try #require(lost.count >= 4)
        for name in lost { storage.set(name, nil) }
        storage.set("metadata/9999.targets.json", [1])
        try await shop.local.check()
        try removeCopies(of: shop)
        try await shop.local.maintain()
        #expect(storage.names == before)
    }

    @Test func `a check of everything reads the storage and not the copies`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        try await shop.local.maintain()
        #expect(try await RegistryCheck(shop.local).run(repairing: false).faults.isEmpty)
        let objects = storage.names.filter { $0.hasPrefix("objects/") }.sorted()
        try #require(objects.count == 2)
        let whole = objects.map { storage.bytes($0) }
        storage.set(objects[0], nil)
        storage.set(objects[1], [1])
        let found = try await RegistryCheck(shop.local).run(repairing: false).faults
        #expect(found.map(\.path.description) == objects && found.map(\.kind) == [.missing, .damaged])
        let repaired = try await RegistryCheck(shop.local).run(repairing: true)
        #expect(repaired.faults.allSatisfy(\.isRepaired) && repaired.faults.count == 2)
        #expect(objects.map { storage.bytes($0) } == whole)
    }

    @Test func `copies of signed documents go where the storage shows an older timestamp: the rows were restored`()
        async throws
    {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", in: shop)
        let older = try #require(storage.bytes("metadata/timestamp.json"))
        try await publish("1.1.0", in: shop)
        let mirror = try #require(shop.local.mirror)
        func copies() throws -> Set<String> { try shop.viewListing.filter { $0.hasSuffix(".snapshot.json") } }
        #expect(try !copies().isEmpty)
        try await mirror.refreshTimestamp()
        #expect(try !copies().isEmpty)
        storage.set("metadata/timestamp.json", older)
        try await mirror.refreshTimestamp()
        #expect(try copies().isEmpty)
        #expect(mirror.shownTimestamp == older)
    }

    @Test func `a timestamp of a moment ago is not read again, and where another server showed one since, it is`()
        async throws
    {
        let shop = try await Shop(storage: storage)
        let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"]
        _ = try await shop.publisher().publish(versions.map { try shop.page($0).zip })
        let servers = [shop.local, try await shop.reopened()]
        for (number, text) in versions.dropLast().enumerated() {
            let registry = servers[number % 2].registry(as: .local(user: "ann"))
            _ = try await registry.change(.offer(version(text), .everyone), of: package(), on: channel())
            let newest = try await shop.local.newestTimestamp()
            #expect(storage.bytes("metadata/timestamp.json") == newest)
        }
        let reads = storage.timestampReadCount
        _ = try await servers[1].registry(as: .local(user: "ann")).change(
            .offer(version("1.4.0"), .everyone), of: package(), on: channel())
        #expect(storage.timestampReadCount == reads)
    }

    @Test func `the copies stay within their bounds`() async throws {
        let shop = try await Shop(storage: storage)
        try await publish("1.0.0", "1.1.0", in: shop)
        try await shop.local.maintain()
        for name in storage.names { #expect(try await shop.local.fetch(name)) }
        let small = ViewMirror(shop.local.files, of: storage, maximumByteCount: 1_000)
        MirrorSweep(mirror: small).run(fullSizes: [:])
        let left = try shop.viewListing
        #expect(left.contains("metadata/timestamp.json"))
        let byteCount = left.subtracting(["metadata/timestamp.json"]).reduce(0) { $0 + (storage.bytes($1)?.count ?? 0) }
        #expect(byteCount <= 1_000)
        #expect(storage.names.count > left.count)
    }

    @Test func `another registry cannot have the storage, and neither can be taken for a folder`() async throws {
        let shop = try await Shop(storage: storage)
        let before = storage.names
        let taken = await #expect(throws: RegistryError.self) { _ = try await Shop(storage: storage) }
        #expect(taken?.kind == .conflict && taken?.message.contains(storage.name) == true)
        let plain = await #expect(throws: RegistryError.self) { try await LocalRegistry.open(shop.project.registry) }
        #expect(plain?.kind == .unusable && plain?.message.contains("are in \(storage.name)") == true)
        let empty = await #expect(throws: RegistryError.self) {
            try await LocalRegistry.open(shop.project.registry, storage: MemoryStorage())
        }
        #expect(empty?.kind == .unusable)
        let folder = try await Shop()
        let wrong = await #expect(throws: RegistryError.self) {
            try await LocalRegistry.open(folder.project.registry, storage: storage)
        }
        #expect(wrong?.message.contains("leave out --storage") == true)
        #expect(storage.names == before)
        _ = try await shop.reopened()
    }
}
