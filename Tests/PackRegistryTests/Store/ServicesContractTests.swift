import Foundation
import PackArchive
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What the stores of bytes and the views of a registry do, the twins in memory included.
@Suite("ServicesContractTests") struct ServicesContractTests {
    private struct Interruption: Error {}

    @Test(arguments: ServicesKind.allCases)
    func `a device reads what was published and offered last`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        try await bench.publish("1.0.0", "1.1.0")
        let first = try bench.shop.page("1.0.0")
        for (change, expected) in [
            (ChannelChange.offer(try version("1.0.0")), "1.0.0"), (.offer(try version("1.1.0")), "1.1.0"),
            (.rollBack(to: try version("1.0.0")), "1.0.0"),
        ] {
            try await bench.change(change)
            let device = try bench.shop.device(over: bench.registry)
            let file = try await ChannelFile(
                parsing: device.target("channels/beta.json", maximumByteCount: 1 << 20))
            #expect(try file.packages[package()]?.releases.first?.version?.description == expected)
        }
        let device = try bench.shop.device(over: bench.registry)
        let manifest = try await device.target(
            ViewLayout.manifestTarget(package(), version("1.0.0")), maximumByteCount: 1 << 20)
        #expect(manifest == first.manifest.bytes)
    }

    @Test(arguments: ServicesKind.allCases)
    func `objects are missing until an upload has brought them`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        let page = try bench.shop.page("1.0.0")
        let objects = page.manifest.ownObjects
        let content = bench.services.content
        #expect(try await content.missing(among: objects) == Set(objects.map(\.digest)))
        let upload = try await content.open(archive: page.zip)
        #expect(upload.sealed.digest == page.digest)
        #expect(upload.sealed.bytes == page.manifest.bytes)
        #expect(try await content.missing(among: objects).count == objects.count)
        try await upload.storeObjects(recorded: [])
        #expect(try await content.missing(among: objects).isEmpty)
        let other = Object(digest: objects[0].digest, size: objects[0].size + 1)
        #expect(try await content.missing(among: [other]) == [other.digest])
    }

    @Test(arguments: ServicesKind.allCases)
    func `an upload may leave out what is there, and nothing else`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        let page = try bench.shop.page("1.0.0")
        let content = bench.services.content
        let bare = bench.shop.folder.url.appending(path: "bare.zip")
        try ArchiveWriter.write(
            [ContentRequest(.bytes(page.manifest.bytes), path: PackagePath(Manifest.fileName))], to: bare)
        let refused = try await content.open(archive: bare)
        let error = await #expect(throws: RegistryError.self) { try await refused.storeObjects(recorded: []) }
        #expect(error?.kind == .invalid)
        #expect(try await content.missing(among: page.manifest.ownObjects).count == page.manifest.ownObjects.count)
        try await content.open(archive: page.zip).storeObjects(recorded: [])
        try await content.open(archive: bare).storeObjects(recorded: [])

        let noise = bench.shop.folder.url.appending(path: "noise.zip")
        try Data("no zip".utf8).write(to: noise)
        let invalid = await #expect(throws: RegistryError.self) { try await content.open(archive: noise) }
        #expect(invalid?.kind == .invalid)
    }

    @Test(arguments: ServicesKind.allCases)
    func `a view shows a change when it is updated, and every file that its metadata names`(
        kind: ServicesKind
    ) async throws {
        let bench = try await ServicesBench(kind)
        let view = bench.services.view
        try await bench.publish("1.0.0")
        func timestamp() async throws -> SignedDocument<TimestampMetadata> {
            let bytes = try await view.read(.timestamp, maximumByteCount: 1 << 20)
            return try SignedDocument(parsing: #require(bytes), name: "timestamp")
        }
        let shown = try await timestamp().body.version
        _ = try await bench.services.record(
            ChannelRelease(.offer(version("1.0.0")), of: package(), on: channel(), randomBits: 1),
            as: .local(user: "ann"))
        #expect(try await timestamp().body.version == shown)
        try await bench.services.show()
        let newest = try await timestamp()
        #expect(newest.body.version == shown + 1)

        let snapshotPath = ViewPath.metadata(.snapshot, version: newest.body.snapshot.version)
        let bytes = try #require(try await view.read(snapshotPath, maximumByteCount: 1 << 20))
        let snapshot: SignedDocument<SnapshotMetadata> = try SignedDocument(parsing: bytes, name: "snapshot")
        var names: [String] = []
        for entry in snapshot.body.files.entries {
            let role = String(entry.name.dropLast(".json".count))
            let path = try #require(ViewPath(role: role, version: entry.value.version))
            let bytes = try #require(try await view.read(path, maximumByteCount: 1 << 20), "\(path)")
            let document: SignedDocument<TargetsMetadata> = try SignedDocument(parsing: bytes, name: role)
            for target in document.body.targets.entries {
                let digest = try Digest(hex: #require(target.value.hashes.sha256))
                let file = try #require(ViewPath(target: target.name, digest: digest))
                let content = try #require(try await view.read(file, maximumByteCount: 1 << 20), "\(file)")
                #expect(Digest(of: content) == digest)
                names.append(target.name)
            }
        }
        #expect(names.sorted() == ["channels/beta.json", "manifests/checkout/1.0.0.json"])
    }

    @Test(arguments: ServicesKind.allCases)
    func `changes that are shown together are one step for devices`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        let services = bench.services
        func number(_ bytes: [UInt8]?) throws -> Int {
            let bytes = try #require(bytes)
            return try SignedDocument<TimestampMetadata>(parsing: bytes, name: "timestamp").body.version
        }
        func shown() async throws -> Int {
            try await number(services.view.read(.timestamp, maximumByteCount: 1 << 20))
        }
        try await bench.publish("1.0.0")
        let first = try await shown()
        try await services.showingTogether {
            try await bench.publish("1.1.0")
            try await bench.change(.offer(version("1.1.0")))
            #expect(try await shown() == first)
        }
        #expect(try await shown() == first + 2)

        // Whoever goes on from the view within the block finds what was recorded.
        try await services.showingTogether {
            try await bench.publish("1.2.0")
            #expect(try await number(bench.registry.viewFile(.timestamp, maximumByteCount: 1 << 20)) == first + 3)
        }
        // What came before a mistake is shown, and the next change by itself.
        await #expect(throws: Interruption.self) {
            try await services.showingTogether {
                try await bench.publish("1.3.0")
                throw Interruption()
            }
        }
        #expect(try await shown() == first + 4)
        try await bench.change(.offer(version("1.3.0")))
        #expect(try await shown() == first + 5)
    }

    @Test(arguments: ServicesKind.allCases)
    func `a view reads its own files only, and none above the limit`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        let view = bench.services.view
        let path = ViewPath.metadata(.root, version: 1)
        let root = try #require(try await view.read(path, maximumByteCount: 1 << 20))
        let copy = bench.shop.folder.url.appending(path: "copy.json")
        #expect(try await view.copy(path, to: copy))
        #expect(try Data(contentsOf: copy) == Data(root))
        #expect(try await view.read(.metadata(.root, version: 99), maximumByteCount: 1) == nil)
        #expect(try await !view.copy(.metadata(.root, version: 99), to: copy.appendingPathExtension("none")))
        let large = await #expect(throws: RegistryError.self) {
            try await view.read(path, maximumByteCount: root.count - 1)
        }
        #expect(large?.kind == .tooLarge)
        #expect(ViewPath("../registry.sqlite") == nil)
    }
}
