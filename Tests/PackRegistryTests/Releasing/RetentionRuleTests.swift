import Foundation
import PackFormat
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// Which versions keep their files.
struct RetentionRuleTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func day(_ ago: Double) -> Date { now.addingTimeInterval(-ago * 86_400) }

    private static func digest(_ text: String) -> Digest { Digest(of: Array(text.utf8)) }

    private static func version(
        _ text: String, of package: String = "checkout", daysAgo: Double, isWithdrawn: Bool = false,
        isPruned: Bool = false
    ) throws -> RetentionFacts.Version {
        try RetentionFacts.Version(
            name: VersionName(PackageID(package), SemanticVersion(text)), manifest: digest("\(package) \(text)"),
            published: day(daysAgo), isWithdrawn: isWithdrawn, isPruned: isPruned)
    }

    private static func entry(
        _ text: String, percent: Int = 100, daysAgo: Double, removed: Double? = nil
    ) throws -> ReleaseHistory.Entry {
        try ReleaseHistory.Entry(
            release: Release(
                id: "r\(text.replacing(".", with: "-"))",
                offer: .version(SemanticVersion(text), manifest: digest("checkout \(text)")),
                rollout: Rollout(percent: percent)),
            created: day(daysAgo), removed: removed.map { day($0) })
    }

    private static func decide(
        _ facts: RetentionFacts, count: Int = 1, days: Int = 10
    ) -> (kept: [String: RetentionRule.Reason], removed: [String]) {
        var policy = RetentionPolicy()
        (policy.versionCount, policy.days) = (count, days)
        let decision = RetentionRule(facts, policy, now: now).decision()
        let names = Dictionary(uniqueKeysWithValues: facts.versions.map { ($0.manifest, "\($0.name.version)") })
        return (
            Dictionary(uniqueKeysWithValues: decision.kept.compactMap { key, value in names[key].map { ($0, value) } }),
            decision.removed.map { "\($0.name.version)" }
        )
    }

    @Test func `what a channel offers, or goes back to, stays, and so do the newest; older ones go`() throws {
        var facts = RetentionFacts()
        facts.versions = try (0...6).map { try Self.version("1.\($0).0", daysAgo: 100 - Double($0)) }
        facts.histories = [
            ReleaseHistory(entries: try (1...4).map { try Self.entry("1.\($0).0", daysAgo: 90 - Double($0)) })
        ]
        let (kept, removed) = Self.decide(facts)
        #expect(kept == ["1.4.0": .offered, "1.3.0": .wayBack, "1.6.0": .newest])
        #expect(removed == ["1.0.0", "1.1.0", "1.2.0", "1.5.0"])
    }

    @Test func `a version that a rollout left beneath it stays until the rollout is complete for long enough`() throws {
        var facts = RetentionFacts()
        facts.versions = try (0...3).map { try Self.version("1.\($0).0", daysAgo: 100) }
        let entries = try [("1.0.0", 90.0), ("1.1.0", 80), ("1.2.0", 70)].map { try Self.entry($0.0, daysAgo: $0.1) }
        let partial = try Self.entry("1.3.0", percent: 10, daysAgo: 60)
        facts.histories = [ReleaseHistory(entries: entries + [partial])]
        #expect(Self.decide(facts).removed == ["1.0.0"])
        // For everyone since yesterday: 1.2.0 was offered until then. What 1.2.0 hid is gone for long.
        facts.histories = [ReleaseHistory(entries: entries + [try Self.entry("1.3.0", daysAgo: 60)])]
        facts.changed = ["r1-3-0": Self.day(1)]
        #expect(Self.decide(facts).removed == ["1.0.0", "1.1.0"])
        facts.changed = ["r1-2-0": Self.day(2), "r1-3-0": Self.day(1)]
        let (kept, removed) = Self.decide(facts)
        #expect(kept["1.1.0"] == .offeredLately && removed == ["1.0.0"])
    }

    @Test func `a version that was taken back stays for as long as a reader may go by what was shown`() throws {
        var facts = RetentionFacts()
        facts.versions = try (0...3).map { try Self.version("1.\($0).0", daysAgo: 100) }
        func removed(_ ago: Double, days: Int) throws -> [String] {
            facts.histories = [
                ReleaseHistory(entries: [
                    try Self.entry("1.0.0", daysAgo: 90), try Self.entry("1.1.0", daysAgo: 80, removed: ago),
                ])
            ]
            return Self.decide(facts, days: days).removed
        }
        #expect(try removed(9, days: 10) == ["1.2.0"])
        #expect(try removed(11, days: 10) == ["1.1.0", "1.2.0"])
        // Eight days count, whatever is asked for.
        #expect(try removed(7, days: 1) == ["1.2.0"])
        #expect(try removed(9, days: 1) == ["1.1.0", "1.2.0"])
    }

    @Test
    func `what devices have and what was published lately stays; a withdrawn version counts as none of the newest`()
        throws
    {
        var facts = RetentionFacts()
        facts.versions = [
            try Self.version("1.0.0", daysAgo: 100), try Self.version("1.1.0", daysAgo: 90),
            try Self.version("1.2.0", daysAgo: 80), try Self.version("1.3.0", daysAgo: 70, isWithdrawn: true),
            try Self.version("1.4.0", daysAgo: 3, isWithdrawn: true),
            try Self.version("0.9.0", daysAgo: 99, isPruned: true),
        ]
        facts.onDevices = [VersionName(try PackageID("checkout"), try SemanticVersion("1.0.0"))]
        let (kept, removed) = Self.decide(facts, count: 2)
        #expect(kept["1.0.0"] == .onDevices && kept["1.4.0"] == .publishedLately && kept["1.2.0"] == .newest)
        #expect(removed == ["1.1.0", "1.3.0"])
    }

    @Test func `a shared bundle stays while a version that stays needs it, over as many steps as there are`() throws {
        var facts = RetentionFacts()
        facts.versions = try [
            Self.version("1.0.0", of: "base", daysAgo: 99), Self.version("2.0.0", of: "base", daysAgo: 98),
            Self.version("3.0.0", of: "base", daysAgo: 97), Self.version("1.0.0", of: "lib", daysAgo: 96),
            Self.version("2.0.0", of: "lib", daysAgo: 95), Self.version("1.0.0", daysAgo: 94),
            Self.version("2.0.0", daysAgo: 93),
        ]
        facts.bundles = [
            Self.digest("checkout 1.0.0"): [Self.digest("lib 1.0.0")],
            Self.digest("lib 1.0.0"): [Self.digest("base 1.0.0")],
        ]
        facts.histories = [ReleaseHistory(entries: [try Self.entry("1.0.0", daysAgo: 90)])]
        var policy = RetentionPolicy()
        policy.versionCount = 1
        let decision = RetentionRule(facts, policy, now: Self.now).decision()
        #expect(decision.removed.map { "\($0.name)" } == ["base 2.0.0"])
        #expect(decision.kept[Self.digest("base 1.0.0")] == .pinned)
        #expect(decision.served == Set(["checkout 1.0.0", "lib 1.0.0", "base 1.0.0"].map(Self.digest)))
    }
}
