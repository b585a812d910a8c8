import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What every store of leases does, the twin in memory included.
@Suite("LeaseContractTests") struct LeaseContractTests {
    @Test(arguments: StoreKind.allCases)
    func `of two who want a lease one has it, and both know who`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let leases = bench.leases
        #expect(try await leases.holder(of: .rollout) == nil)
        let first = try #require(try await leases.acquire(.rollout, for: .seconds(60), as: "one"))
        #expect(try await leases.acquire(.rollout, for: .seconds(60), as: "two") == nil)
        #expect(try await leases.holder(of: .rollout) == "one")
        // Another name is another lease.
        #expect(try await leases.holder(of: .server) == nil)
        #expect(try await leases.acquire(.server, for: .seconds(60), as: "two") != nil)
        try await leases.release(first)
        #expect(try await leases.holder(of: .rollout) == nil)
        let second = try #require(try await leases.acquire(.rollout, for: .seconds(60), as: "two"))
        #expect(second.number > first.number)
        // Not the first one's any more.
        try await leases.release(first)
        #expect(try await leases.holder(of: .rollout) == "two")
    }

    @Test(arguments: StoreKind.allCases)
    func `of many who want a lease at once one has it`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let winners = try await withThrowingTaskGroup(of: Lease?.self) { group in
            for index in 0..<20 {
                group.addTask { try await bench.leases.acquire(.rollout, for: .seconds(60), as: "\(index)") }
            }
            return try await group.reduce(into: []) { if let lease = $1 { $0.append(lease) } }
        }
        #expect(winners.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease is held for as long as it was acquired or renewed for`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let lease = try #require(try await bench.leases.acquire(.rollout, for: .seconds(60), as: "one"))
        bench.clock.advance(seconds: 59)
        #expect(try await bench.leases.acquire(.rollout, for: .seconds(60), as: "two") == nil)
        try await bench.leases.renew(lease, for: .seconds(60))
        bench.clock.advance(seconds: 59)
        #expect(try await bench.leases.holder(of: .rollout) == "one")
        bench.clock.advance(seconds: 1)
        #expect(try await bench.leases.holder(of: .rollout) == nil)
        // Nobody has acquired it since.
        try await bench.leases.renew(lease, for: .seconds(60))
        #expect(try await bench.leases.holder(of: .rollout) == "one")
        try await bench.leases.release(lease)
        await #expect(throws: LostLease(.rollout)) { try await bench.leases.renew(lease, for: .seconds(60)) }
    }

    @Test(arguments: StoreKind.allCases)
    func `whoever lost a lease records nothing under it, and cannot have it back`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        try await bench.upload("alpha", "1.0.0")
        let old = try #require(try await bench.leases.acquire(.rollout, for: .seconds(60), as: "one"))
        let late = try await bench.committer.prepare(bench.publication("alpha", "1.0.0"), as: bench.ann, under: old)
        let before = try await bench.picture()
        // Ran out, though nobody else wants it.
        bench.clock.advance(seconds: 60)
        await #expect(throws: LostLease(.rollout)) { try await bench.committer.record(late) }
        let new = try #require(try await bench.leases.acquire(.rollout, for: .seconds(60), as: "two"))
        await #expect(throws: LostLease(.rollout)) { try await bench.committer.record(late) }
        await #expect(throws: LostLease(.rollout)) { try await bench.leases.renew(old, for: .seconds(60)) }
        // Not even where it pretends to be read by nobody.
        var changes = ChangeSet(by: bench.ann, at: bench.now)
        changes.log("never", "recorded")
        changes.lease = old
        let unbased = changes
        await #expect(throws: LostLease(.rollout)) { try await bench.store.commit(unbased, basedOn: nil) }
        #expect(try await bench.picture() == before)
        let (outcome, isRecorded) = try await bench.committer.commit(
            bench.publication("alpha", "1.0.0"), as: bench.ann, under: new)
        #expect(outcome == .published && isRecorded)
        var query = FactsQuery.unsigned
        query.audit = AuditQuery(limit: 10)
        #expect(try await !bench.store.facts(query).audit.contains { $0.action == "never" })
    }

    @Test(arguments: StoreKind.allCases)
    func `work that takes longer than its lease keeps it, and gives it back`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let leases = bench.leases
        let holders = try await leases.whileHolding(.rollout, for: .milliseconds(150), as: "one") { _ in
            // Another work finds it taken.
            var holders = [try await leases.whileHolding(.rollout, for: .seconds(1), as: "two") { _ in "two" }]
            for _ in 0..<4 {
                // By the store's clock it would be over.
                bench.clock.advance(seconds: 0.14)
                try await Task.sleep(for: .milliseconds(150))
                holders.append(try await leases.holder(of: .rollout))
            }
            return holders
        }
        #expect(holders == [nil, "one", "one", "one", "one"])
        #expect(try await leases.holder(of: .rollout) == nil)
        struct Fault: Error {}
        await #expect(throws: Fault.self) {
            try await leases.whileHolding(.rollout, for: .seconds(60), as: "one") { _ in throw Fault() }
        }
        #expect(try await leases.holder(of: .rollout) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `work whose lease is lost is cancelled`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        let leases = bench.leases
        await #expect(throws: LostLease(.rollout)) {
            try await leases.whileHolding(.rollout, for: .milliseconds(150), as: "one") { _ in
                bench.clock.advance(seconds: 1)
                #expect(try await leases.acquire(.rollout, for: .seconds(60), as: "two") != nil)
                try await Task.sleep(for: .seconds(60))
            }
        }
        #expect(try await leases.holder(of: .rollout) == "two")
    }

    @Test func `a holder that is gone leaves its lease before it runs out`() async throws {
        let folder = try TemporaryFolder()
        let files = RegistryFolder(folder.url)
        let database = try SQLiteDatabase(files)
        func leases() -> SQLiteLeases { SQLiteLeases(files, database, clock: { Date() }) }
        var first: SQLiteLeases? = leases()
        let lease = try #require(try await first?.acquire(.server, for: .seconds(600), as: "one"))
        #expect(try await leases().acquire(.server, for: .seconds(600), as: "two") == nil)
        #expect(try await leases().holder(of: .server) == "one")
        first = nil
        // The thread that worked for it may keep it for a moment.
        for _ in 0..<400 where try await leases().holder(of: .server) != nil {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await leases().holder(of: .server) == nil)
        let second = leases()
        let next = try #require(try await second.acquire(.server, for: .seconds(600), as: "two"))
        #expect(next.number == lease.number + 1)
        #expect(try folder.listing("leases") == ["server.2"])
        try await second.release(next)
        #expect(try folder.listing("leases").isEmpty)
    }

    @Test func `a server that lost its lease does nothing until it has one again`() async throws {
        let shop = try await Shop()
        let lease = try #require(try await shop.local.claimForServer())
        shop.clock.advance(seconds: 600)
        let other = try #require(try await shop.local.leases.acquire(.server, for: .seconds(600), as: "another"))
        _ = try await shop.publisher().publish([shop.page("1.0.0").zip])
        let (reports, report) = AsyncStream<String>.makeStream()
        let maintenance = Task { await shop.local.runMaintenance(under: lease) { report.yield("\($0)") } }
        let first = await reports.first { _ in true }
        #expect(
            first?.contains("another packtool serve has the registry in") == true
                && first?.contains("(another)") == true)
        let archive = "packages/checkout-1.0.0.zip"
        #expect(try !shop.viewListing.contains(archive))
        try await shop.local.leases.release(other)
        shop.local.signal.raise()
        while try !shop.viewListing.contains(archive) { try await Task.sleep(for: .milliseconds(5)) }
        maintenance.cancel()
        await maintenance.value
        #expect(await !shop.local.isServed())
    }
}
