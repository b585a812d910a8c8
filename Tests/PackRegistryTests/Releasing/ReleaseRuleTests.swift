import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import Testing

/// The rules of releasing by themselves: facts in, steps out. No registry, no clock.
struct ReleaseRuleTests {
    /// A channel in memory: facts are read from it, steps are applied to it.
    private struct Memory {
        var histories: [ChannelName: ReleaseHistory] = [:]
        var published: [PublishedVersion]
        var count = 0

        init(_ versions: String...) throws {
            let package = try PackageID("shop")
            published = try versions.map {
                try PublishedVersion(
                    package: package, version: SemanticVersion($0), manifest: Digest(of: Array($0.utf8)))
            }
        }

        mutating func change(_ change: ChannelChange, on name: String = "beta") throws {
            let channel = try ChannelName(name)
            let history = histories[channel] ?? ReleaseHistory()
            var source: ReleaseHistory?
            if case .promote(_, let from, _, _, _) = change { source = histories[from] ?? ReleaseHistory() }
            let named = ReleaseRule.version(named: change, source: source)
            count += 1
            var facts = ReleaseFacts(
                package: try PackageID("shop"), channel: channel, history: history, source: source,
                version: published.first { $0.version == named }, newID: "r\(count)")
            facts.channels = histories.keys.sorted()
            facts.versions = published.map(\.version)
            let steps = try ReleaseRule(facts).steps(for: change)
            histories[channel] = history.applying(
                steps, by: "who\(count)", now: Date(timeIntervalSince1970: Double(count)))
        }

        mutating func withdraw(_ version: SemanticVersion) {
            guard let index = published.firstIndex(where: { $0.version == version }) else { return }
            let old = published[index]
            published[index] = PublishedVersion(
                package: old.package, version: old.version, manifest: old.manifest, withdrawn: "broken")
            count += 1
            for (channel, history) in histories {
                histories[channel] = history.applying(
                    history.withdrawing(old.manifest), by: "owner", now: Date(timeIntervalSince1970: Double(count)))
            }
        }

        func offers(_ name: String = "beta") throws -> String {
            ReleaseHistory.list(histories[try ChannelName(name)]?.offered ?? [])
        }
    }

    private static func offer(_ version: String, _ percent: Int? = nil, _ consent: OfferConsent = []) throws
        -> ChannelChange
    {
        .offer(try SemanticVersion(version), try percent.map { try Rollout(percent: $0) }, consent: consent)
    }

    private func refusal(_ body: () throws -> Void) -> String {
        let error = #expect(throws: RegistryError.self) { try body() }
        return error.map(\.message) ?? ""
    }

    @Test func `a share grows by offers and shrinks by a rollout only, and what a newer one hid comes back`() throws {
        var memory = try Memory("1.0.0", "1.1.0")
        try memory.change(Self.offer("1.0.0"))
        try memory.change(Self.offer("1.1.0", 10))
        #expect(try memory.offers() == "1.1.0 (10 %), 1.0.0")
        try memory.change(Self.offer("1.1.0", 5))
        try memory.change(Self.offer("1.1.0"))
        #expect(try memory.offers() == "1.1.0 (10 %), 1.0.0")
        try memory.change(Self.offer("1.1.0", 100))
        #expect(try memory.offers() == "1.1.0")
        try memory.change(.setRollout(Share(percent: 40)))
        #expect(try memory.offers() == "1.1.0 (40 %), 1.0.0")
    }

    @Test func `a rollback goes to what everyone had, and is not undone in silence`() throws {
        var memory = try Memory("1.0.0", "1.1.0", "1.2.0")
        try memory.change(Self.offer("1.0.0"))
        try memory.change(Self.offer("1.1.0", 5))
        try memory.change(Self.offer("1.2.0"))
        try memory.change(.rollBack(to: nil))
        #expect(try memory.offers() == "1.0.0")
        let said = refusal { try memory.change(Self.offer("1.2.0")) }
        #expect(said.contains("rolled back from shop 1.2.0 to 1.0.0 by who4") && said.contains("--again"), "\(said)")
        try memory.change(Self.offer("1.2.0", nil, .again))
        #expect(try memory.offers() == "1.2.0")
        try memory.change(.rollBackToEmbedded)
        #expect(try memory.offers() == "embedded")
        #expect(
            refusal { try memory.change(.setRollout(Share(percent: 5))) }.contains(
                "the way back to what the app embeds")
        )
    }

    @Test func `an older version needs a word, unless it is for other apps`() throws {
        var memory = try Memory("1.0.0", "2.0.0")
        try memory.change(Self.offer("2.0.0", 1))
        #expect(
            refusal { try memory.change(Self.offer("1.0.0")) }.contains(
                "beta offers shop 2.0.0 (1 %), and 1.0.0 is older than 2.0.0"))
        // A share of nobody takes nobody back.
        try memory.change(.setRollout(Share(percent: 0)))
        try memory.change(Self.offer("1.0.0"))
        #expect(try memory.offers() == "1.0.0")
        let (old, new) = try (VersionRange("<5.0.0"), VersionRange(">=5.0.0"))
        let release = try Release(
            id: "r", offer: .version(SemanticVersion("2.0.0"), manifest: Digest(of: [])), requiredApp: new)
        let older = try SemanticVersion("1.9.0")
        #expect(OlderOffer(of: older, requiredApp: old, among: [release]) == nil)
        #expect(try OlderOffer(of: older, requiredApp: VersionRange(">=4.0.0 <6.0.0"), among: [release]) != nil)
        #expect(OlderOffer(of: older, requiredApp: nil, among: [release]) != nil)
    }

    @Test(arguments: [
        ("<5.0.0", ">=5.0.0", false), ("<=5.0.0", ">=5.0.0", true), (">1.0.0", "<1.0.0", false),
        ("=1.0.0", ">=1.0.0", true),
        ("=1.0.0", ">1.0.0", false), (">=1.0.0 <2.0.0", ">=1.5.0", true), (">=1.0.0", ">=9.0.0", true),
        (">=2.0.0 <1.0.0", ">=0.0.0", false),
    ])
    func `ranges overlap where a version is in both`(first: String, second: String, expected: Bool) throws {
        let (one, other) = try (VersionRange(first), VersionRange(second))
        #expect(one.overlaps(other) == expected && other.overlaps(one) == expected)
    }

    @Test func `a promotion takes what everyone has, and names what is there where that is not clear`() throws {
        var memory = try Memory("1.0.0", "1.1.0")
        let beta = try ChannelName("beta")
        #expect(
            refusal { try memory.change(.promote(nil, from: beta), on: "stable") }
                == "there is no channel beta (there is: none yet)")
        try memory.change(Self.offer("1.0.0", 50))
        #expect(
            refusal { try memory.change(.promote(nil, from: beta), on: "stable") }.contains(
                "to everyone yet (it offers 1.0.0 (50 %))"))
        try memory.change(Self.offer("1.0.0", 100))
        try memory.change(.promote(nil, from: beta), on: "stable")
        #expect(try memory.offers("stable") == "1.0.0")
        #expect(
            refusal { try memory.change(.promote(SemanticVersion("9.0.0"), from: beta), on: "stable") }.contains(
                "is not offered on beta"))
        #expect(refusal { try memory.change(.promote(nil, from: beta)) }.contains("not to the same"))
    }

    /// 2,000 random lives of two channels.
    @Test func `whatever is done, what devices see is sound`() throws {
        var dice = SystemRandomNumberGenerator()
        let names = ["1.0.0", "1.1.0", "1.2.0-ci.1", "1.2.0", "2.0.0"]
        for _ in 0..<2_000 {
            var memory = try Memory("1.0.0", "1.1.0", "1.2.0-ci.1", "1.2.0", "2.0.0")
            for _ in 0..<12 {
                let version = try SemanticVersion(names.randomElement(using: &dice) ?? "")
                let share = try Rollout(percent: [0, 1, 50, 100].randomElement(using: &dice) ?? 0)
                let channel = Bool.random(using: &dice) ? "beta" : "stable"
                let other = try ChannelName(channel == "beta" ? "stable" : "beta")
                let before = memory
                let change: ChannelChange? =
                    switch Int.random(in: 0..<8, using: &dice) {
                    case 0, 1: .offer(version, Bool.random(using: &dice) ? share : nil)
                    case 2: .offer(version, share, consent: [.again, .older])
                    case 3: .promote(nil, from: other, share, consent: .older)
                    case 4: .setRollout(share.share, of: Bool.random(using: &dice) ? version : nil)
                    case 5: .rollBack(to: Bool.random(using: &dice) ? version : nil)
                    case 6: Bool.random(using: &dice) ? .rollBackToEmbedded : .retry(of: nil)
                    default: nil
                    }
                if let change { try? memory.change(change, on: channel) } else { memory.withdraw(version) }
                let offered = memory.histories[try ChannelName(channel)]?.offered ?? []
                // Below one for everyone nobody looks.
                #expect(offered.dropLast().allSatisfy { $0.rollout != .everyone }, "\(offered)")
                #expect(Set(offered.map(\.id)).count == offered.count)
                let withdrawn = Set(memory.published.filter { $0.withdrawn != nil }.map(\.version))
                #expect(offered.allSatisfy { $0.version.map { !withdrawn.contains($0) } ?? true }, "\(offered)")
                guard case .offer(let version, _, policy: _, consent: []) = change else { continue }
                let past = before.histories[try ChannelName(channel)]?.offered ?? []
                // Without a word no device gets less than it had: the newest it could have is still there, or a higher one.
                let highest = past.filter { !$0.rollout.reachesNobody }.compactMap(\.version).max()
                if let highest, past.first?.version != version {
                    #expect(offered.contains { $0.version ?? highest >= highest })
                }
            }
        }
    }
}
