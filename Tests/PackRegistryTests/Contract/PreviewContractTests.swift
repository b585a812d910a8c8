import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What a registry says that a change would do: just what the change does then, or the same refusal, and nothing is done.
struct PreviewContractTests {
    private func stocked(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        shop.clock.advance(seconds: 1)
        return shop
    }

    private func said(_ outcome: ChannelOutcome) -> [String] {
        outcome.releases.map { "\($0.version?.description ?? "embedded") \($0.rollout.text) \($0.policy.text)" }
            + outcome.others.sorted { $0.key < $1.key }.map { "\($0.key): \(ReleaseHistory.list($0.value))" }
    }

    @Test(arguments: RegistryKind.allCases)
    func `each change does what its preview says, and the preview nothing`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let policy = try ClientPolicy(network: .unmetered)
            let changes: [(ChannelChange, String)] = try [
                (
                    .offer(version("1.1.0"), Rollout(percent: 10)),
                    "beta: 10 % of the devices get checkout 1.1.0 in place of 1.0.0, and the others keep 1.0.0"
                ),
                (
                    .setRollout(Share(percent: 25)),
                    "beta: 25 % of the devices in place of 10 % get checkout 1.1.0"
                ),
                (
                    .setRollout(Share(percent: 5), audiences: [Audience("platform=ios")]),
                    "beta: 5 % of the devices with platform=ios in place of 25 % get checkout 1.1.0; devices that are not among "
                        + "them any more leave it and go to 1.0.0"
                ),
                (
                    .setRollout(nil, policy: policy),
                    "beta: 5 % of the devices with platform=ios take checkout 1.1.0 so: network unmetered"
                ),
                (.retry(), "beta: devices on which checkout 1.1.0 failed try it once more"),
                (
                    .rollBack(to: nil),
                    "beta: 100 % of the devices get checkout 1.0.0 in place of 1.1.0 (5 % of platform=ios), 1.0.0, and 5 % of the "
                        + "devices with platform=ios leave checkout 1.1.0"
                ),
                (
                    .rollBackToEmbedded,
                    "beta: 100 % of the devices get checkout embedded in place of 1.0.0, and 100 % of the devices leave checkout "
                        + "1.0.0"
                ),
            ]
            for (change, effect) in changes {
                let audit = try await shop.registry.auditLog(limit: 100).count
                let view = try await shop.fileNames
                let preview = try await registry.preview(change, of: package(), on: channel(), assuming: [])
                #expect(preview.isChanged && preview.effect == effect)
                #expect(try await shop.registry.auditLog(limit: 100).count == audit)
                #expect(try await shop.fileNames == view)
                let done = try await registry.change(change, of: package(), on: channel())
                #expect(said(done) == said(preview) && done.effect == effect, "\(change)")
                let again = try await registry.preview(.rollBackToEmbedded, of: package(), on: channel(), assuming: [])
                #expect(again.isChanged == (change != .rollBackToEmbedded))
                shop.clock.advance(seconds: 1)
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `what a change would be refused for, its preview is refused for`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        let refused: [(ChannelChange, String)] = try [
            (.offer(version("9.0.0")), "is not published in this registry"),
            (.rollBack(to: nil), "offered nothing else"),
            (.promote(nil, from: channel("nowhere")), "there is no channel nowhere"),
            (.setRollout(nil, audiences: [Audience("group=nobody")]), "has no group"),
        ]
        try await kind.using(shop) { (registry) async throws in
            for (change, reason) in refused {
                let real = await #expect(throws: RegistryError.self) {
                    try await registry.change(change, of: package(), on: channel())
                }
                let preview = await #expect(throws: RegistryError.self) {
                    try await registry.preview(change, of: package(), on: channel(), assuming: [])
                }
                #expect(real == preview && real?.message.contains(reason) == true, "\(String(describing: preview))")
            }
        }
        for scope in [
            TokenScope(actions: [.publish]), TokenScope(actions: [.release], channels: [try channel("stable")]),
        ] {
            try await kind.using(shop, scope: scope) { (registry) async throws in
                let error = await #expect(throws: RegistryError.self) {
                    try await registry.preview(.rollBackToEmbedded, of: package(), on: channel(), assuming: [])
                }
                #expect(error?.kind == .forbidden)
            }
        }
        try await kind.using(shop, scope: TokenScope(actions: [.release])) { (registry) async throws in
            let error = await #expect(throws: RegistryError.self) {
                try await registry.previewWithdrawal(of: version("1.0.0"), of: package(), reason: "x")
            }
            #expect(error?.kind == .forbidden)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a version that is to be published is offered on paper, alone and in a set`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        try await kind.using(shop) { (registry) async throws in
            let (page, help) = try (shop.page("1.2.0").manifest, shop.page("1.0.0", package: "help").manifest)
            let alone = try await registry.preview(
                .offer(page.version), of: package(), on: channel("stable"), assuming: [AssumedVersion(page)])
            #expect(alone.isNewChannel && alone.effect == "stable: 100 % of the devices get checkout 1.2.0")
            let set = try ReleaseSet(
                versions: [page.package: page.version, help.package: help.version], rollout: Rollout(percent: 5))
            let both = try await registry.preview(set, on: channel(), assuming: [page, help].map(AssumedVersion.init))
            #expect(
                both.effect
                    == "beta: 5 % of the devices get checkout 1.2.0 in place of 1.0.0, and the others keep 1.0.0; 5 % of the "
                    + "devices get help 1.0.0, and the others get nothing")
            let other = try AssumedVersion(
                package: package(), version: version("1.1.0"), manifest: page.digest, hasEntry: true, requiredApp: nil)
            let conflict = await #expect(throws: RegistryError.self) {
                try await registry.preview(.offer(version("1.1.0")), of: package(), on: channel(), assuming: [other])
            }
            #expect(conflict?.kind == .conflict && conflict?.message.contains("other content") == true)
            #expect(try await registry.overview().versions[package("help")] == nil)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a withdrawal on paper says where the devices of each channel go`(kind: RegistryKind) async throws {
        let shop = try await stocked(kind)
        _ = try await shop.registry.change(.offer(version("1.1.0"), Rollout(percent: 10)), of: package(), on: channel())
        _ = try await shop.registry.change(.offer(version("1.1.0")), of: package(), on: channel("stable"))
        try await kind.using(shop) { (registry) async throws in
            let channels = try await registry.previewWithdrawal(of: version("1.1.0"), of: package(), reason: "broken")
            #expect(
                channels.mapValues(\.effect) == [
                    try channel(): "beta: 10 % of the devices leave checkout 1.1.0 and go to 1.0.0",
                    try channel("stable"):
                        "stable: 100 % of the devices leave checkout 1.1.0 and keep the version that "
                        + "they run, because no other release is left",
                ])
            let unknown = await #expect(throws: RegistryError.self) {
                try await registry.previewWithdrawal(of: version("7.0.0"), of: package(), reason: "broken")
            }
            #expect(unknown?.kind == .notFound)
            #expect(try await registry.overview().versions[package()]?.allSatisfy { $0.withdrawn == nil } == true)
        }
    }

    @Test func `a registry that knows no previews is told from one that refuses`() async throws {
        let shop = try await stocked(.local)
        try await RunningServer.with(shop.local) { (server) async throws in
            let old = try RemoteRegistry(server.url + "/elsewhere", token: nil)
            await #expect(throws: PreviewsUnknown.self) {
                try await old.preview(.rollBackToEmbedded, of: package(), on: channel(), assuming: [])
            }
        }
    }
}
