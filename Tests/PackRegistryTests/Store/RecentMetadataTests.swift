import PackFormat
import PackJSON
import PackPatch
import PackTrust
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// The metadata that changed last, in one file of the view.
struct RecentMetadataTests {
    private static func shownSnapshot(_ bench: ServicesBench) async throws -> Int {
        let bytes = try #require(try await bench.services.view.read(.timestamp, maximumByteCount: 1 << 20))
        return try SignedDocument<TimestampMetadata>(parsing: bytes).body.snapshot.version
    }

    private static func files(_ bench: ServicesBench, ofSnapshot version: Int) async throws -> [String: String]? {
        let bytes = try await bench.services.view.read(.recent(snapshot: version), maximumByteCount: 1 << 20)
        guard let bytes else { return nil }
        let text = try ContentFrame.decompress(bytes, maximumByteCount: 1 << 20)
        let document = try JSONValue(parsing: text).object("recent")
        #expect(try document.integer("format") == 1)
        var files: [String: String] = [:]
        for member in try document.object("files").members { files[member.key] = try member.value.string(member.key) }
        return files
    }

    @Test(arguments: ServicesKind.allCases)
    func `a change comes with all documents that it and the one before it made`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        try await bench.publish("1.0.0")
        try await bench.change(.offer(version("1.0.0")))
        try await bench.publish("1.1.0")
        try await bench.change(.offer(version("1.1.0")))
        let newest = try await Self.shownSnapshot(bench)
        let files = try #require(try await Self.files(bench, ofSnapshot: newest))
        let names = Set(
            files.keys.map { String($0.split(separator: "/").last?.split(separator: ".").dropFirst().first ?? "") })
        #expect(names.isSuperset(of: ["snapshot", "channels", "package", "beta"]), "\(files.keys.sorted())")
        // Each is the file that a device would have asked for.
        for (path, text) in files {
            let path = try #require(ViewPath(path))
            #expect(try await bench.services.view.read(path, maximumByteCount: 1 << 20) == Array(text.utf8))
        }
        // A device that was here before the last publication needs nothing else.
        let device = try bench.shop.device(over: bench.registry)
        try await device.refresh()
        #expect(await device.trustedMetadata?.snapshot?.body.version == newest)
    }

    @Test(arguments: ServicesKind.allCases)
    func `the files of the last sixty snapshots are kept, and made again alike`(kind: ServicesKind) async throws {
        let bench = try await ServicesBench(kind)
        try await bench.publish("1.0.0")
        try await bench.change(.offer(version("1.0.0")))
        for percent in 1...66 { try await bench.change(.setRollout(Share(percent: percent))) }
        let newest = try await Self.shownSnapshot(bench)
        #expect(newest > 66)
        for version in 1...newest {
            let isThere = try await Self.files(bench, ofSnapshot: version) != nil
            #expect(isThere == (version > newest - 60), "\(version) of \(newest)")
        }
        let (view, store) = (bench.services.view, bench.services.store)
        let kept = (newest - 59...newest).map { ViewPath.recent(snapshot: $0) }
        var before: [[UInt8]?] = []
        for path in kept { before.append(try await view.read(path, maximumByteCount: 1 << 20)) }
        try await view.remove(kept)
        try await ViewWriter(store: store, view: view).complete()
        var after: [[UInt8]?] = []
        for path in kept { after.append(try await view.read(path, maximumByteCount: 1 << 20)) }
        #expect(before == after)
        #expect(!before.contains(nil))
    }
}
