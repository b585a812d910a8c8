import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import Testing

/// The rules of sets by themselves: facts in, steps out.
struct ReleaseSetRuleTests {
    /// A channel in memory with two or three packages.
    private struct Memory {
        let channel = try! ChannelName("beta")
        var histories: [PackageID: ReleaseHistory] = [:]
        var count = 0

        var ids: ReleaseIDs { ReleaseIDs(number: count * 10 + 1, randomBits: 7) }
        var rule: ReleaseSetRule { ReleaseSetRule(on: channel, histories: histories, ids: ids) }

        mutating func apply(_ steps: [PackageID: [ReleaseHistory.Step]]) {
            count += 1
            for (package, steps) in steps {
                histories[package] = (histories[package] ?? ReleaseHistory()).applying(
                    steps, by: "ann", now: Date(timeIntervalSince1970: Double(count)))
            }
        }

        static func published(_ package: String, _ version: String, app: String? = nil) throws -> PublishedVersion {
            try PublishedVersion(
                package: PackageID(package), version: SemanticVersion(version),
                manifest: Digest(of: Array("\(package) \(version)".utf8)), requiredApp: app.map { try VersionRange($0) }
            )
        }

        @discardableResult
        mutating func offer(
            _ versions: [String: String], percent: Int? = nil, apps: [String: String] = [:], consent: OfferConsent = []
        ) throws -> String? {
            var facts: [PackageID: ReleaseFacts] = [:]
            var wanted: [PackageID: SemanticVersion] = [:]
            for (package, version) in versions {
                let id = try PackageID(package)
                wanted[id] = try SemanticVersion(version)
                facts[id] = ReleaseFacts(
                    package: id, channel: channel, history: histories[id] ?? ReleaseHistory(),
                    version: try Self.published(package, version, app: apps[package]), newID: ids.release(0))
            }
            let outcome = try rule.offering(
                facts, wanted, percent.map { try Rollout(percent: $0) }, consent: consent)
            apply(outcome.steps)
            return outcome.set
        }

        mutating func rollBack(_ package: String, to change: ChannelChange = .rollBack(to: nil)) throws {
            let outcome = try rule.rollingBack(PackageID(package), to: change)
            apply(try #require(outcome).steps)
        }

        mutating func setShare(_ package: String, _ percent: Int) throws {
            let id = try PackageID(package)
            let history = histories[id] ?? ReleaseHistory()
            let release = try #require(history.offered.first)
            let steps = try history.setting(Rollout(percent: percent), nil, of: release)
            apply(try rule.following(steps, of: id).merging([id: steps]) { $1 })
        }

        var offers: String {
            histories.sorted { $0.key < $1.key }.map { "\($0): \(ReleaseHistory.list($1.offered))" }
                .joined(separator: "; ")
        }
    }

    @Test func `several packages get one set, and a share of it moves all of them`() throws {
        var memory = Memory()
        #expect(try memory.offer(["a": "1.0.0", "b": "1.0.0"]) == "set-1-00000007")
        let set = try memory.offer(["a": "1.1.0", "b": "1.1.0"], percent: 10)
        #expect(memory.offers == "a: 1.1.0 (10 %), 1.0.0; b: 1.1.0 (10 %), 1.0.0")
        #expect(memory.histories.values.allSatisfy { $0.offered.first?.set == set })
        try memory.setShare("b", 50)
        #expect(memory.offers == "a: 1.1.0 (50 %), 1.0.0; b: 1.1.0 (50 %), 1.0.0")
        // The same again: nothing, and a larger share raises it for both.
        #expect(try memory.offer(["a": "1.1.0", "b": "1.1.0"]) == set)
        #expect(memory.offers == "a: 1.1.0 (50 %), 1.0.0; b: 1.1.0 (50 %), 1.0.0")
        try memory.offer(["a": "1.1.0", "b": "1.1.0"], percent: 100)
        #expect(memory.offers == "a: 1.1.0; b: 1.1.0")
    }

    @Test func `a package that everybody has already is left out, and one alone needs no set`() throws {
        var memory = Memory()
        try memory.offer(["a": "1.0.0", "b": "1.0.0", "c": "1.0.0"])
        #expect(try memory.offer(["a": "1.0.0", "b": "1.1.0", "c": "1.1.0"], percent: 20) != nil)
        #expect(memory.offers == "a: 1.0.0; b: 1.1.0 (20 %), 1.0.0; c: 1.1.0 (20 %), 1.0.0")
        #expect(try memory.offer(["a": "1.2.0"], percent: 5) == nil)
        #expect(memory.offers.hasPrefix("a: 1.2.0 (5 %), 1.0.0"))
    }

    @Test func `a rollback of one takes all of the set to what everybody had before it`() throws {
        var memory = Memory()
        try memory.offer(["a": "1.0.0", "b": "1.0.0"])
        try memory.offer(["b": "1.0.1"])
        try memory.offer(["a": "1.1.0", "b": "1.1.0", "new": "1.0.0"])
        try memory.rollBack("a")
        #expect(memory.offers == "a: 1.0.0; b: 1.0.1; new: embedded")
        let sets = Set(memory.histories.values.compactMap { $0.offered.first?.set })
        #expect(sets.count == 1, "the way back is one set again")
        let before = try Memory.published("a", "1.1.0")
        let facts = ReleaseFacts(
            package: before.package, channel: memory.channel, history: memory.histories[before.package] ?? .init(),
            version: before, newID: "x")
        #expect(throws: RegistryError.self) {
            try ReleaseRule(facts).steps(for: .offer(before.version, nil, consent: []))
        }
    }

    @Test func `a newer release took its package out of the set, and a rollback of the set leaves it`() throws {
        var memory = Memory()
        try memory.offer(["a": "1.0.0", "b": "1.0.0"])
        try memory.offer(["b": "1.0.1"])
        try memory.offer(["a": "1.1.0", "b": "1.1.0"])
        try memory.offer(["b": "1.2.0"])
        let outcome = try #require(try memory.rule.rollingBack(PackageID("a"), to: .rollBack(to: nil)))
        #expect(outcome.set == nil, "a goes back alone")
        try memory.rollBack("a")
        #expect(memory.offers == "a: 1.0.0; b: 1.2.0")
        // What is beneath it is what everybody had before the set.
        #expect(try memory.histories[PackageID("b")]?.earlier?.version?.description == "1.0.1")

        // The same for a newer release for some devices: the others leave the set.
        var partial = Memory()
        try partial.offer(["a": "1.0.0", "b": "1.0.0"])
        try partial.offer(["a": "1.1.0", "b": "1.1.0", "new": "1.0.0"])
        try partial.offer(["b": "1.2.0"], percent: 10)
        try partial.offer(["new": "1.2.0"], percent: 10)
        try partial.rollBack("a")
        // Nothing is beneath the new package's 1.2.0, so that it goes back with the set.
        #expect(partial.offers == "a: 1.0.0; b: 1.2.0 (10 %), 1.0.0; new: embedded")

        // The way back of one package to the set's own version is not newer than the set.
        var back = Memory()
        try back.offer(["a": "1.0.0", "b": "1.0.0"])
        try back.offer(["a": "1.1.0", "b": "1.1.0"])
        try back.offer(["b": "1.2.0"])
        let id = try PackageID("b")
        let history = try #require(back.histories[id])
        let earlier = try #require(history.earlier)
        back.apply([id: try history.rollingBack(to: earlier.offer, requiredApp: nil, id: "way")])
        #expect(back.offers == "a: 1.1.0; b: 1.1.0")
        try back.rollBack("a")
        #expect(back.offers == "a: 1.0.0; b: 1.0.0")
    }

    @Test func `a package that the set introduced goes to what the app embeds, and the others to what they had`() throws
    {
        for change in [ChannelChange.rollBackToEmbedded, .rollBack(to: nil)] {
            var memory = Memory()
            try memory.offer(["a": "1.0.0", "b": "1.0.0"])
            try memory.offer(["b": "1.0.1"])
            try memory.offer(["a": "1.1.0", "b": "1.1.0", "new": "1.0.0"], percent: 20)
            try memory.rollBack("new", to: change)
            #expect(memory.offers == "a: 1.0.0; b: 1.0.1; new: embedded", "\(change)")
        }
        // Of a set of new packages only, there is nothing to go back to but what the app embeds, which is to be said.
        var fresh = Memory()
        try fresh.offer(["a": "1.0.0", "b": "1.0.0"])
        #expect(try fresh.rule.rollingBack(PackageID("a"), to: .rollBack(to: nil)) == nil)
        try fresh.rollBack("a", to: .rollBackToEmbedded)
        #expect(fresh.offers == "a: embedded; b: embedded")
    }

    @Test func `the others go to what they had when the set began, whatever trial came before it`() throws {
        var memory = Memory()
        try memory.offer(["a": "1.0.0", "b": "1.0.0"])
        try memory.offer(["a": "1.0.5"], percent: 10)
        try memory.offer(["b": "1.0.1"])
        try memory.offer(["a": "1.1.0", "b": "1.1.0"])
        try memory.rollBack("a")
        #expect(memory.offers == "a: 1.0.0; b: 1.0.1")
    }

    @Test func `a rollback to an earlier version takes the others to what they had with it`() throws {
        var memory = Memory()
        for version in ["1.0.0", "1.1.0", "1.2.0"] { try memory.offer(["a": version, "b": version]) }
        try memory.rollBack("b", to: .rollBack(to: SemanticVersion("1.0.0")))
        #expect(memory.offers == "a: 1.0.0; b: 1.0.0")
        try memory.offer(["a": "1.3.0", "b": "1.3.0"])
        for (version, reason) in [("0.9.0", "never offered b 0.9.0"), ("1.3.0", "in one set with a")] {
            let error = #expect(throws: RegistryError.self) {
                try memory.rollBack("b", to: .rollBack(to: SemanticVersion(version)))
            }
            #expect(error?.message.contains(reason) == true, "\(version)")
        }
        try memory.rollBack("b", to: .rollBackToEmbedded)
        #expect(memory.offers == "a: embedded; b: embedded")
    }

    @Test func `a second rollback of a package that went back with its set is told from a first one`() throws {
        var memory = Memory()
        func refusal(_ package: String, _ change: ChannelChange = .rollBack(to: nil), _ consent: OfferConsent = [])
            -> String?
        {
            do {
                try memory.rule.requireFirstRollback(of: PackageID(package), change, consent: consent)
                return nil
            } catch {
                return (error as? RegistryError)?.message ?? "\(error)"
            }
        }
        for version in ["1.0.0", "1.1.0", "1.2.0"] {
            try memory.offer(["a": version, "b": version])
            #expect(refusal("a") == nil)
        }
        try memory.rollBack("a")
        for package in ["a", "b"] {
            #expect(
                refusal(package)
                    == "beta was rolled back from a 1.2.0 and b 1.2.0, which were one set, by ann at 1970-01-01T00:00:04.000Z, and "
                    + "offers a 1.1.0 and b 1.1.0 now. Another rollback of \(package) would go back further. If that is "
                    + "meant: packtool rollback \(package) --channel beta --again, or --to VERSION")
        }
        // Somebody who says so, or where to, means it.
        #expect(refusal("b", .rollBack(to: nil), .again) == nil)
        #expect(try refusal("b", .rollBack(to: SemanticVersion("1.0.0"))) == nil)
        #expect(refusal("b", .rollBackToEmbedded) == nil)
        #expect(refusal("c") == nil)
        // A newer offer of one package ends it for that one, and a third rollback is asked about like the second.
        try memory.offer(["a": "1.3.0"])
        #expect(refusal("a") == nil)
        #expect(refusal("b")?.contains("offers a 1.3.0 and b 1.1.0 now") == true)
        try memory.rollBack("b")
        #expect(memory.offers == "a: 1.3.0; b: 1.0.0")
        #expect(refusal("b")?.contains("from a 1.1.0 and b 1.1.0") == true)
    }

    @Test func `a package that went back alone goes back once, too`() throws {
        var memory = Memory()
        for version in ["0.9.0", "1.0.0", "1.1.0"] { try memory.offer(["a": version, "b": version]) }
        try memory.offer(["b": "1.2.0"])
        let id = try PackageID("b")
        #expect(throws: Never.self) {
            try memory.rule.requireFirstRollback(of: id, .rollBack(to: nil), consent: [])
        }
        for (version, left) in [("1.1.0", "1.2.0"), ("1.0.0", "1.1.0")] {
            let history = try #require(memory.histories[id])
            let earlier = try #require(history.earlier)
            memory.apply([id: try history.rollingBack(to: earlier.offer, requiredApp: nil, id: "way-\(memory.count)")])
            #expect(memory.offers == "a: 1.1.0; b: \(version)")
            let error = #expect(throws: RegistryError.self) {
                try memory.rule.requireFirstRollback(of: id, .rollBack(to: nil), consent: [])
            }
            #expect(error?.message.contains("was rolled back from b \(left) by ann at ") == true)
            #expect(throws: Never.self) {
                try memory.rule.requireFirstRollback(of: id, .rollBack(to: nil), consent: .again)
            }
        }
        try memory.offer(["b": "1.3.0"])
        #expect(throws: Never.self) {
            try memory.rule.requireFirstRollback(of: id, .rollBack(to: nil), consent: [])
        }
    }

    @Test func `a set that no app could have is refused, and else all of it asks for what one package does`() throws {
        var memory = Memory()
        let error = #expect(throws: RegistryError.self) {
            try memory.offer(["a": "1.0.0", "b": "1.0.0"], apps: ["a": "<5.0.0", "b": ">=5.0.0"])
        }
        #expect(error?.message.contains("no app could have this set: a 1.0.0 requires app <5.0.0") == true)
        try memory.offer(["a": "1.0.0", "b": "1.0.0"])
        try memory.offer(["a": "1.1.0", "b": "1.1.0"], apps: ["a": ">=5.0.0"])
        // Older apps keep what there was, of both.
        #expect(memory.offers == "a: 1.1.0, 1.0.0; b: 1.1.0, 1.0.0")
        #expect(
            memory.histories.values.allSatisfy { $0.offered.first?.requiredApp?.description == ">=5.0.0" })
    }

    @Test func `one that was rolled back from, or is older, keeps the whole set from being offered`() throws {
        var memory = Memory()
        try memory.offer(["a": "1.0.0", "b": "1.0.0"])
        try memory.offer(["a": "1.1.0", "b": "1.1.0"])
        try memory.rollBack("a")
        let offers = memory.offers
        #expect(throws: RegistryError.self) { try memory.offer(["a": "1.2.0", "b": "1.1.0"]) }
        #expect(throws: RegistryError.self) { try memory.offer(["a": "0.9.0", "b": "1.2.0"]) }
        #expect(memory.offers == offers)
        try memory.offer(["a": "1.2.0", "b": "1.1.0"], consent: .again)
        #expect(memory.offers == "a: 1.2.0; b: 1.1.0")
    }
}
