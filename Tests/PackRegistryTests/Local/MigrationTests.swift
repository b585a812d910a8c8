import Foundation
import PackFormat
import PackSystem
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// A registry folder that packtool 0.1.0 made, opened by this one.
struct MigrationTests {
    @Test func `a registry that a server of 0_1_0 works on is left as it is`() async throws {
        let earlier = try EarlierRegistry()
        let lock = earlier.registry.appending(path: "serve.lock")
        // As 0.1.0 does: flock(2) for as long as it runs.
        var held: FolderLock? = try FolderLock(lock)
        let error = await #expect(throws: RegistryError.self) {
            _ = try await LocalRegistry.open(earlier.registry, clock: { EarlierRegistry.now })
        }
        #expect(error?.message.contains("serve of an earlier version") == true)
        if held.take() == nil { Issue.record("the lock was not held") }
        _ = try await LocalRegistry.open(earlier.registry, clock: { EarlierRegistry.now })
    }

    @Test func `a registry of 0_1_0 is opened with all that it held, and goes on`() async throws {
        let earlier = try EarlierRegistry()
        let (folder, now) = (earlier.folder, EarlierRegistry.now)
        let local = try await LocalRegistry.open(earlier.registry, clock: { now })
        #expect(local.migration?.contains("registry.sqlite was of an earlier packtool") == true)
        #expect(try await LocalRegistry.open(earlier.registry, clock: { now }).migration == nil)
        let registry = local.registry(as: .local(user: "ann"))
        let overview = try await registry.overview()
        let (alpha, beta) = try (PackageID("alpha"), PackageID("beta"))
        #expect(overview.versions[alpha]?.map(\.version.description) == ["1.3.0", "1.2.0", "1.1.0"])
        #expect(overview.versions[beta]?.compactMap(\.withdrawn) == ["a fault"])
        func offers(_ channel: String, _ package: PackageID) async throws -> String {
            ReleaseHistory.list(try await registry.overview().channels[ChannelName(channel)]?[package] ?? [])
        }
        #expect(try await offers("beta", alpha) == "1.2.0")
        #expect(try await offers("beta", beta) == "1.3.0 (90 %), 1.1.0 (30 %)")
        #expect(try await offers("stable", alpha) == "1.1.0")
        #expect(try await local.authenticate(EarlierRegistry.token).scope.actions == [.publish, .release])
        // 8 releases, and what was rolled back over or withdrawn.
        let events = try ReleaseEvents.texts(of: local.database)
        #expect(events.filter { $0.hasPrefix("add") }.count == 8)
        #expect(events.filter { $0.hasPrefix("remove") }.count == 2)
        // The objects are known without a look at the disk.
        var query = FactsQuery.unsigned
        let manifest = try #require(overview.versions[alpha]?.first?.manifest)
        query.manifests = [manifest]
        let store = SQLStore(database: local.database, app: "shop", clock: .of { Date() })
        let content = try #require(try await store.facts(query).manifest(manifest))
        query.objects = content.ownObjects
        #expect(try await store.facts(query).missingObjects.isEmpty)

        // A device that trusts the root of then sees what is published now.
        let root = try earlier.root
        let site = try Site.page("1.4.0", package: "alpha", in: folder)
        try await earlier.publish(site, over: registry)
        _ = try await registry.change(.offer(version("1.4.0"), Rollout(percent: 5)), of: alpha, on: channel())
        #expect(try await offers("beta", alpha) == "1.4.0 (5 %), 1.2.0")
        // A release of then grows by a plan of now.
        let plan = try RolloutPlan(
            parsing: Array("{\"steps\": [{\"share\": 95, \"for\": \"1h\"}, {\"share\": 100}]}".utf8), named: "plan")
        let planned = try await registry.rollout(RolloutRequest(.plan(plan)), of: beta, on: channel())
        #expect(planned.before.percent == 90 && planned.after.percent == 95)
        #expect(try ReleaseEvents.texts(of: local.database).contains { $0.hasPrefix("plan {\"plan\":{\"steps\"") })
        #expect(throws: RegistryError.self) { try ReleaseEvents.clear(local.database) }
        #expect(try await registry.rollouts(of: beta).first?.steps.first?.reached == now)
        let client = try TrustClient(
            store: FolderTrustStore(folder: folder.url.appending(path: "device")),
            transport: RegistryTransport(registry: registry), trustedRoot: root, now: { now })
        let file = try ChannelFile(parsing: await client.target("channels/beta.json", maximumByteCount: 1 << 20))
        #expect(file.packages[alpha]?.releases.first?.version == site.manifest.version)
        #expect(file.packages[beta]?.releases.count == 2)
    }
}
