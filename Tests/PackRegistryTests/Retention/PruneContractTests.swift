import Foundation
import PackFormat
import PackTrust
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// A registry that is pruned: what devices may be led to stays, the rest goes, and comes back by a publication.
struct PruneContractTests {
    /// A server removes nothing: it is done where the files are.
    private static let kinds: [RegistryKind] = [.local, .postgres, .bucket]

    private static var policy: RetentionPolicy {
        var policy = RetentionPolicy()
        (policy.versionCount, policy.days) = (2, 8)
        return policy
    }

    /// A shop that offered 1.0.0 to 1.3.0 one after the other, long ago.
    private func grown(_ kind: RegistryKind) async throws -> (shop: Shop, sites: [Site]) {
        let shop = try await kind.shop()
        let sites = try (0...3).map { try shop.page("1.\($0).0") }
        for (number, site) in sites.enumerated() {
            try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(version("1.\(number).0")), of: package(), on: channel())
            if number % 2 == 1 { try await shop.local.maintain() }
        }
        _ = try await shop.local.makeEncodings()
        shop.clock.advance(days: 20)
        try await shop.local.renew()
        return (shop, sites)
    }

    private func prune(_ shop: Shop) async throws -> PrunePlan {
        try await RegistryPrune(shop.local).run(Self.policy, as: Identity.local(user: "ann"))
    }

    private func faults(_ shop: Shop) async throws -> [RegistryCheck.Fault] {
        try await RegistryCheck(shop.local).run(repairing: false).faults
    }

    private func texts(_ names: [VersionName]) -> [String] { names.map { "\($0.version)" } }

    /// Every byte that a device needs of what the channel offers.
    private func readOffer(_ shop: Shop) async throws -> [String] {
        var seen: [String] = []
        for release in try await shop.channel().packages[package()]?.releases ?? [] {
            guard case .version(let version, let digest) = release.offer else { continue }
            let path = ViewLayout.manifestTarget(try package(), version)
            let bytes = try await shop.device().target(path, maximumByteCount: 1 << 20)
            #expect(Digest(of: bytes) == digest)
            for object in try Manifest(parsing: bytes).ownObjects {
                let found = try await shop.registry.viewFile(.object(object.digest), maximumByteCount: 1 << 24)
                #expect(found.map { Digest(of: $0) } == object.digest)
            }
            #expect(
                try await shop.registry.viewFile(.patch(from: nil, to: digest), maximumByteCount: 1 << 24) != nil)
            seen.append("\(version)")
        }
        return seen
    }

    @Test(arguments: kinds)
    func `old versions lose their files, what is offered keeps all, and a publication brings one back`(
        kind: RegistryKind
    ) async throws {
        let (shop, sites) = try await grown(kind)
        let before = try await shop.fileNames
        let plan = try await RegistryPrune(shop.local).plan(Self.policy)
        #expect(texts(plan.versions) == ["1.0.0", "1.1.0"])
        #expect(plan.kept == [.offered: 1, .wayBack: 1])
        #expect(try await shop.fileNames == before, "a plan removes nothing")
        #expect(try await prune(shop) == plan)

        let after = try await shop.fileNames
        #expect(before.subtracting(after) == Set(plan.paths.map(\.description)) && after.isSubset(of: before))
        #expect(after.contains("packages/checkout-1.2.0.zip") && !after.contains("packages/checkout-1.1.0.zip"))
        #expect(plan.byteCount > 0 && plan.objectAmount.count == 2 && plan.patchAmount.count > 0)
        #expect(try await faults(shop).isEmpty)
        #expect(try await readOffer(shop) == ["1.3.0"])
        #expect(try await prune(shop).isEmpty, "nothing is left to do")
        // What is not there is not wanted either.
        try await shop.local.maintain()
        #expect(try await shop.fileNames == after)
        let old = try await shop.registry.overview().versions[package()]?.first { try $0.version == version("1.0.0") }
        #expect(old?.pruned != nil)

        let refusal = await #expect(throws: RegistryError.self) {
            try await shop.registry.change(.rollBack(to: version("1.0.0")), of: package(), on: channel())
        }
        #expect(refusal?.kind == .conflict && refusal?.message.contains("packtool registry prune") == true)
        _ = try await shop.registry.change(.rollBack(to: nil), of: package(), on: channel())
        #expect(try await readOffer(shop) == ["1.2.0"])

        let again = try await shop.publisher().publish([sites[0].zip])
        #expect(again.map(\.outcome) == [.unchanged] && again[0].sentCount > 0)
        _ = try await shop.registry.change(.rollBack(to: version("1.0.0")), of: package(), on: channel())
        try await shop.local.maintain()
        #expect(try await readOffer(shop) == ["1.0.0"])
        #expect(try await faults(shop).isEmpty)
        #expect(
            try await shop.registry.auditLog(limit: 100).map(\.action).filter { ["prune", "restore"].contains($0) }
                == ["restore", "prune"])
    }

    @Test(arguments: kinds)
    func `a version that devices report stays`(
        kind: RegistryKind
    ) async throws {
        let (shop, _) = try await grown(kind)
        let now = Int(shop.clock.now.timeIntervalSince1970)
        var event = try ReportEvent(
            sequence: 1, code: .present, time: now, package: package(), version: version("1.1.0"))
        event.facts = ReportFacts()
        let reports = try JudgedReports(
            sender: ReportID(String(repeating: "a", count: 32)), channel: channel(), events: [event], received: now)
        #expect(try await shop.local.reportStore.add(reports) == 1)
        let plan = try await prune(shop)
        #expect(texts(plan.versions) == ["1.0.0"] && plan.kept[.onDevices] == 1)
        #expect(try await faults(shop).isEmpty)
    }

    @Test(arguments: kinds)
    func `an upload that nobody published goes after a week, and can be sent again`(kind: RegistryKind) async throws {
        let (shop, _) = try await grown(kind)
        let site = try shop.page("2.0.0")
        _ = try await shop.registry.upload(archive: site.zip)
        let uploaded = try await shop.fileNames
        #expect(try await prune(shop).uploads.isEmpty, "it is new")
        shop.clock.advance(days: 7.5)
        try await shop.local.renew()
        let plan = try await prune(shop)
        #expect(plan.uploads.map { "\($0.name)" } == ["checkout 2.0.0"] && plan.objects.count == 1)
        #expect(try await shop.fileNames.intersection(uploaded).count < uploaded.count)
        try await shop.publisher().publish([site.zip])
        _ = try await shop.registry.change(.offer(version("2.0.0")), of: package(), on: channel())
        try await shop.local.maintain()
        #expect(try await readOffer(shop) == ["2.0.0"])
    }

    /// The objects that only an old version has, and the zip that has them.
    private func old(_ shop: Shop, _ site: Site) async throws -> (archive: any UploadedArchive, objects: [Object]) {
        let archive = try await shop.local.services.content.open(archive: site.zip)
        return (archive, archive.sealed.manifest.ownObjects)
    }

    @Test(arguments: kinds)
    func `an upload during which its objects are removed is stored once more`(kind: RegistryKind) async throws {
        let (shop, sites) = try await grown(kind)
        let (archive, objects) = try await old(shop, sites[0])
        // It finds all of them in place. Before it is recorded, they are removed.
        try await archive.storeObjects(recorded: objects)
        _ = try await prune(shop)
        let names = try await shop.fileNames
        #expect(objects.contains { !names.contains(ViewPath.object($0.digest).description) })
        await #expect(throws: RemovedObjects.self) {
            try await shop.local.services.record(
                UploadedPackage(archive.sealed, known: objects), as: Identity.local(user: "ann"))
        }
        _ = try await shop.registry.upload(archive: sites[0].zip)
        #expect(try await shop.local.services.content.missing(among: objects).isEmpty)
        #expect(try await faults(shop).isEmpty)
    }

    @Test(arguments: kinds)
    func `what an interrupted prune was to remove stays if somebody needs it again, and goes with the next otherwise`(
        kind: RegistryKind
    ) async throws {
        let (shop, sites) = try await grown(kind)
        let before = try await shop.fileNames
        let (now, policy) = (shop.clock.now, Self.policy)
        let plan = try await shop.local.database.writing { db in
            let tables = PruneTables(db: db)
            let plan = try tables.plan(policy, onDevices: [], now: now)
            try tables.record(plan, by: Identity.local(user: "ann"), now: now)
            return plan
        }
        #expect(try await shop.fileNames == before, "the files are still there")
        let (archive, objects) = try await old(shop, sites[0])
        let missing = try await shop.registry.missingObjects(of: archive.sealed.bytes)
        #expect(!missing.isEmpty && missing.isSubset(of: objects.map(\.digest)))
        #expect(try await shop.publisher().publish([sites[0].zip])[0].sentCount == missing.count)
        // Its zip is made and recorded again while it stands on the list.
        try await shop.local.maintain()
        let next = try await prune(shop)
        #expect(next.leftCount == plan.paths.count - missing.count && next.versions.isEmpty)
        #expect(try await shop.local.services.content.missing(among: objects).isEmpty)
        #expect(try await shop.fileNames.contains("packages/checkout-1.0.0.zip"))
        let others = plan.objects.map(\.digest).filter { !missing.contains($0) }
        let names = try await shop.fileNames
        #expect(!others.isEmpty && others.allSatisfy { !names.contains(ViewPath.object($0).description) })
        #expect(try await faults(shop).isEmpty)
    }

    @Test(arguments: kinds)
    func `publications beside prunes lose nothing`(kind: RegistryKind) async throws {
        let (shop, sites) = try await grown(kind)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for _ in 1...8 { _ = try await prune(shop) }
            }
            group.addTask {
                for number in 0...7 {
                    try await shop.publisher().publish([sites[number % 2].zip])
                    try await shop.publisher().publish([shop.page("3.\(number).0").zip])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await faults(shop).isEmpty)
        #expect(try await readOffer(shop) == ["1.3.0"])
    }
}
