import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What changes of a channel do, whatever the registry. Each time the list is read as a device reads it.
struct ReleasingContractTests {
    /// A shop with checkout 1.0.0, 1.1.0 and 1.2.0 published.
    private func stocked(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        let sites = try ["1.0.0", "1.1.0", "1.2.0"].map { try shop.page($0) }
        try await shop.publisher().publish(sites.map(\.zip))
        return shop
    }

    private func offer(_ text: String, _ percent: Int = 100) throws -> ChannelChange {
        try .offer(version(text), Rollout(percent: percent))
    }

    @Test(arguments: RegistryKind.allCases)
    func `a partial rollout stands before the release that everyone gets`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            let first = try await registry.change(offer("1.1.0", 10), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
            let second = try await registry.change(.setRollout(Share(percent: 50)), of: package(), on: channel())
            #expect(first.releases.first?.id == second.releases.first?.id, "who is in at 10 % stays in")
            #expect(
                try await registry.change(.setRollout(Share(percent: 50)), of: package(), on: channel()).isChanged
                    == false)
            _ = try await registry.change(.setRollout(.whole), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@100"])
            _ = try await registry.change(.setRollout(Share(percent: 50)), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@50", "1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `rolling back passes over what only a few devices had`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(offer("1.1.0", 1), of: package(), on: channel())
            _ = try await registry.change(offer("1.2.0", 1), of: package(), on: channel())
            _ = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `offering a version again raises its share and never lowers it`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(offer("1.1.0", 10), of: package(), on: channel())
            #expect(try await registry.change(offer("1.1.0", 50), of: package(), on: channel()).isChanged)
            #expect(try await !registry.change(offer("1.1.0", 10), of: package(), on: channel()).isChanged)
            #expect(try await shop.releases() == ["1.1.0@50", "1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `without a share an offered release keeps its own, and a new one is for everyone`(
        kind: RegistryKind
    ) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(.offer(version("1.0.0")), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.0.0@100"])
            _ = try await registry.change(offer("1.1.0", 10), of: package(), on: channel())
            #expect(try await !registry.change(.offer(version("1.1.0")), of: package(), on: channel()).isChanged)
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `what was rolled back over is offered once more only with again`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(offer("1.1.0"), of: package(), on: channel())
            _ = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            let actor = try #require(try await registry.auditLog(limit: 1).first?.actor)
            let attempts = [try offer("1.1.0"), try offer("1.1.0", 5)]
            for change in attempts {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.change(change, of: package(), on: channel())
                }
                #expect(refused?.kind == .conflict)
                for word in ["1.1.0", "to 1.0.0", actor, "--again"] {
                    #expect(refused?.message.contains(word) == true, "\(word): \(refused?.message ?? "")")
                }
            }
            // Another version is offered as ever, and the one that was left stays away.
            _ = try await registry.change(offer("1.2.0"), of: package(), on: channel())
            await #expect(throws: RegistryError.self) {
                try await registry.change(offer("1.1.0"), of: package(), on: channel())
            }
            _ = try await registry.change(
                .offer(version("1.1.0"), consent: [.again, .older]), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@100"])
            // Back to the embedded version leads over everything.
            _ = try await registry.change(.rollBackToEmbedded, of: package(), on: channel())
            for text in ["1.1.0", "1.0.0"] {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.change(offer(text), of: package(), on: channel())
                }
                #expect(refused?.message.contains("to what the app embeds") == true)
            }
        }
    }

    /// A hot fix of an older line, or a CI job of an older commit.
    @Test(arguments: RegistryKind.allCases)
    func `a version below one that is offered is offered only where that was said`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(offer("1.2.0", 5), of: package(), on: channel())
            let next = try ChannelName("next")
            _ = try await registry.change(offer("1.2.0"), of: package(), on: next)
            let attempts: [(ChannelChange, ChannelName, String)] = try [
                (offer("1.1.0"), channel(), "1.2.0 (5 %), 1.0.0, and 1.1.0 is older than 1.2.0"),
                (offer("1.0.0", 10), channel(), "1.0.0 is older than 1.2.0"),
                (.promote(version("1.0.0"), from: channel()), next, "1.2.0, and 1.0.0 is older than"),
            ]
            let before = try await registry.overview().channels
            for (change, channel, text) in attempts {
                let refused = await #expect(throws: RegistryError.self) {
                    try await registry.change(change, of: package(), on: channel)
                }
                #expect(
                    refused?.kind == .conflict && refused?.message.contains(text) == true, "\(refused?.message ?? "")")
            }
            #expect(try await registry.overview().channels == before)
            _ = try await registry.change(.offer(version("1.1.0"), consent: .older), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@100"])
            // It is the newest release now: once more takes nobody further back.
            #expect(try await !registry.change(offer("1.1.0"), of: package(), on: channel()).isChanged)
            _ = try await registry.change(.rollBack(to: version("1.0.0")), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.0.0@100"])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a share is not changed of what a rollback or a withdrawal left, but by its name`(
        kind: RegistryKind
    ) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(offer("1.1.0", 10), of: package(), on: channel())
            _ = try await registry.change(
                .setRollout(Share(percent: 90), of: version("1.0.0")), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@90"])
            let unknown = await #expect(throws: RegistryError.self) {
                try await registry.change(.setRollout(.whole, of: version("1.2.0")), of: package(), on: channel())
            }
            #expect(unknown?.message.contains("1.1.0 (10 %), 1.0.0 (90 %)") == true)
            try await shop.publisher().withdraw(version("1.1.0"), of: package(), reason: "broken")
            let withdrawn = await #expect(throws: RegistryError.self) {
                try await registry.change(.setRollout(.whole), of: package(), on: channel())
            }
            #expect(withdrawn?.message.contains("checkout 1.1.0 was taken back") == true)
            _ = try await registry.change(.setRollout(.whole, of: version("1.0.0")), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.0.0@100"])
            _ = try await registry.change(.rollBackToEmbedded, of: package(), on: channel())
            let embedded = await #expect(throws: RegistryError.self) {
                try await registry.change(.setRollout(Share(percent: 10)), of: package(), on: channel())
            }
            #expect(embedded?.message.contains("the way back to what the app embeds") == true)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a misspelt channel or package is told what is there`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            for change in [ChannelChange.rollBack(to: nil), .setRollout(.whole), .retry(), .rollBackToEmbedded] {
                let noChannel = await #expect(throws: RegistryError.self) {
                    try await registry.change(change, of: package(), on: channel("betta"))
                }
                #expect(noChannel?.message == "there is no channel betta (there is: beta)")
                let noPackage = await #expect(throws: RegistryError.self) {
                    try await registry.change(change, of: package("chekout"), on: channel())
                }
                #expect(noPackage?.message == "beta never offered anything of chekout (it has: checkout)")
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `rolling back goes to the version before, for everyone, under a new id`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let old = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(offer("1.1.0"), of: package(), on: channel())
            let back = try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.0.0@100"])
            #expect(back.releases.first?.id != old.releases.first?.id)
            let again = await #expect(throws: RegistryError.self) {
                try await registry.change(.rollBack(to: nil), of: package(), on: channel())
            }
            #expect(again?.kind == .notFound)
            _ = try await registry.change(.rollBackToEmbedded, of: package(), on: channel())
            #expect(try await shop.releases() == ["embedded@100"])
            _ = try await registry.change(.rollBack(to: version("1.2.0")), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.2.0@100"])
            _ = try await registry.change(.setRollout(Share(percent: 10)), of: package(), on: channel())
            #expect(try await shop.releases() == ["1.2.0@10", "embedded@100"], "what was rolled back over stays away")
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `promoting takes the newest release that everyone gets, or the version given`(kind: RegistryKind) async throws
    {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let none = await #expect(throws: RegistryError.self) {
                try await registry.change(.promote(nil, from: channel()), of: package(), on: channel("stable"))
            }
            #expect(none?.kind == .notFound)
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(.promote(nil, from: channel()), of: package(), on: channel("stable"))
            #expect(try await shop.releases(on: "stable") == ["1.0.0@100"])
            _ = try await registry.change(offer("1.1.0", 10), of: package(), on: channel())
            let unclear = await #expect(throws: RegistryError.self) {
                try await registry.change(.promote(nil, from: channel()), of: package(), on: channel("stable"))
            }
            #expect(unclear?.kind == .conflict && unclear?.message.contains("checkout@1.1.0 or checkout@1.0.0") == true)
            _ = try await registry.change(
                .promote(version("1.1.0"), from: channel(), Rollout(percent: 5)), of: package(), on: channel("stable"))
            #expect(try await shop.releases(on: "stable") == ["1.1.0@5", "1.0.0@100"])
            _ = try await registry.change(
                .promote(version("1.1.0"), from: channel()), of: package(), on: channel("stable"))
            #expect(try await shop.releases(on: "stable") == ["1.1.0@100"])
            let unknown = await #expect(throws: RegistryError.self) {
                try await registry.change(
                    .promote(version("1.2.0"), from: channel()), of: package(), on: channel("stable"))
            }
            #expect(unknown?.kind == .notFound)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a retry is signed into the channel`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let nothing = await #expect(throws: RegistryError.self) {
                try await registry.change(.retry(), of: package(), on: channel())
            }
            #expect(nothing?.kind == .notFound)
            _ = try await registry.change(offer("1.0.0"), of: package(), on: channel())
            _ = try await registry.change(.retry(), of: package(), on: channel())
            #expect(try await shop.channel().packages[package()]?.releases.map(\.retry) == [1])
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a version that is not published cannot be offered`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let error = await #expect(throws: RegistryError.self) {
                try await registry.change(offer("9.0.0"), of: package(), on: channel())
            }
            #expect(error?.kind == .notFound)
            #expect(try await registry.overview().channels.isEmpty)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `patches are made between what a channel offers and offered`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            for text in ["1.0.0", "1.1.0", "1.2.0"] {
                _ = try await registry.change(offer(text), of: package(), on: channel())
            }
            try await shop.local.maintain()
            let manifests = try await registry.overview().versions[package()]?.map(\.manifest.hex) ?? []
            let patches = try await shop.fileNames.filter { $0.hasPrefix("patches/\(manifests[0])/") }
            let expected =
                manifests.dropFirst().flatMap { ["\($0).zst", "\($0).manifest.zst", "\($0).update"] } + ["full.zst"]
            #expect(patches == Set(expected.map { "patches/\(manifests[0])/\($0)" }))
        }
    }
}
