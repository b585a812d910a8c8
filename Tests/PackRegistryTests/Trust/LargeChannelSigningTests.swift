import Foundation
import PackFormat
import PackTrust
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// What is signed of a channel that is too large for every device to read.
@Suite("LargeChannelSigningTests") struct LargeChannelSigningTests {
    /// A channel's new content, whatever it is.
    private struct Put: RegistryChange {
        let file: ChannelFile

        var query: FactsQuery { FactsQuery() }

        func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
            changes.channelFiles = [file]
            changes.signs = true
        }
    }

    /// The signature of the role again, as it is due now and then.
    private struct Renew: RegistryChange {
        var query: FactsQuery { FactsQuery() }

        func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws {
            changes.signsChannels = true
            changes.signs = true
        }
    }

    private static func file(_ count: Int, version: String = "1.0.0", changed: Int = 0) throws -> ChannelFile {
        var packages: [PackageID: ChannelFile.Package] = [:]
        for number in 0..<count {
            let offer = try Release.Offer.version(
                SemanticVersion(number == changed ? version : "1.0.0"), manifest: Digest(of: Array("\(number)".utf8)))
            packages[try PackageID("package-\(number)")] = try ChannelFile.Package(
                releases: [Release(id: "r\(number)", offer: offer, rollout: Rollout(percent: number % 100))])
        }
        return ChannelFile(app: "shop", channel: try ChannelName("stable"), packages: packages)
    }

    private static func role(_ bench: StoreBench) async throws -> TargetsMetadata {
        let facts = try await bench.store.facts(FactsQuery())
        let document: SignedDocument<TargetsMetadata>? = try facts.newest(ViewLayout.channelsRole)
        return try #require(document?.body)
    }

    private static func parts(_ role: TargetsMetadata) -> [String: Digest] {
        var parts: [String: Digest] = [:]
        for entry in role.targets.entries where entry.name.contains(".part-") { parts[entry.name] = entry.value.digest }
        return parts
    }

    @Test(arguments: StoreKind.allCases)
    func `a change of a large channel signs its part anew, and a small channel has none`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let view = MemoryViewStore()
        let writer = ViewWriter(store: bench.store, view: view)
        let whole = "channels/stable.json"
        try await bench.committer.commit(Put(file: Self.file(100)), as: bench.ann)
        try await writer.update()
        #expect(Self.parts(try await Self.role(bench)).isEmpty)

        try await bench.committer.commit(Put(file: Self.file(1_200)), as: bench.ann)
        try await writer.update()
        let first = try await Self.role(bench)
        let count = try #require(first.targets[whole]?[extra: ChannelHead.countField])
        #expect(count >= 16 && Self.parts(first).count <= count && Self.parts(first).count > count / 2)
        #expect(first.targets["channels/stable.v3.json"] != nil)
        let shown = view.paths

        // Another version of one package: its part and the whole file, and nothing else of the channel.
        try await bench.committer.commit(Put(file: Self.file(1_200, version: "2.0.0", changed: 17)), as: bench.ann)
        try await writer.update()
        let second = try await Self.role(bench)
        let changed = Self.parts(second).filter { Self.parts(first)[$0.key] != $0.value }
        #expect(changed.count == 1)
        let new = view.paths.subtracting(shown)
        #expect(new.count { $0.description.hasPrefix("targets/channels/") } == 2, "\(new)")
        // With the timestamp, which replaces the one before, and what a publication writes besides (its role, its manifest, its zip,
        // two downloads), these are at most twelve files.
        #expect(new.count <= 6, "\(new)")
        // Each listed file is there, and is read as what it is.
        for entry in second.targets.entries {
            let digest = try #require(entry.value.digest)
            let path = try #require(ViewPath(target: entry.name, digest: digest))
            let bytes = try #require(try await view.read(path, maximumByteCount: 1 << 24))
            #expect(Digest(of: bytes) == digest)
        }

        try await bench.committer.commit(Renew(), as: bench.ann)
        let renewed = try await Self.role(bench)
        #expect(renewed.targets[whole]?[extra: ChannelHead.countField] == count)

        try await bench.committer.commit(Put(file: Self.file(50)), as: bench.ann)
        try await writer.update()
        let small = try await Self.role(bench)
        #expect(Self.parts(small).isEmpty && small.targets["channels/stable.v3.json"] == nil)
        #expect(small.targets[whole]?[extra: ChannelHead.countField] == nil)
        // A view that is made anew has every file that a kept role lists.
        let before = view.paths
        try await ViewWriter(store: bench.store, view: view).complete()
        #expect(view.paths.isSuperset(of: before))
    }
}
