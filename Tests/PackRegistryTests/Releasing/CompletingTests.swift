import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// What a rollback does to sets that share packages, over random lives of a channel.
struct CompletingTests {
    private static let names = ["a", "b", "c", "d", "e"]

    private struct Life {
        var histories: [PackageID: ReleaseHistory] = [:]
        var count = 0

        mutating func offer(_ names: [String], share: Int, using dice: inout SeededGenerator) throws {
            count += 1
            let set = names.count > 1 ? "set-\(count)" : nil
            for name in names {
                let package = try PackageID(name)
                // Now and then a version that was there already, so that two sets share one.
                let minor = Int.random(in: 0..<4, using: &dice) == 0 ? Int.random(in: 1...3, using: &dice) : count
                let version = try SemanticVersion("1.\(minor).0")
                let release = try Release(
                    id: "\(count)-\(name)",
                    offer: .version(version, manifest: Digest(of: Array("\(name)\(minor)".utf8))),
                    rollout: Rollout(percent: share), set: set)
                record([.add(release)], of: package)
            }
        }

        mutating func record(_ steps: [ReleaseHistory.Step], of package: PackageID) {
            histories[package] = (histories[package] ?? ReleaseHistory()).applying(
                steps, by: "mia", now: Date(timeIntervalSince1970: Double(count)))
        }

        func rule() throws -> ReleaseSetRule {
            try ReleaseSetRule(
                on: ChannelName("beta"), histories: histories, ids: ReleaseIDs(number: 1000 + count, randomBits: 7))
        }

        /// As a change does it: by the newest set, else by the package's own steps.
        func rollingBack(_ package: PackageID, isEmbedded: Bool) throws -> [PackageID: [ReleaseHistory.Step]] {
            let change: ChannelChange = isEmbedded ? .rollBackToEmbedded : .rollBack(to: nil)
            let rule = try rule()
            if let outcome = try rule.rollingBack(package, to: change) { return outcome.steps }
            let own = histories[package] ?? ReleaseHistory()
            let place = isEmbedded ? nil : own.earlier
            return try rule.completing([
                package: own.rollingBack(to: place?.offer ?? .embedded, requiredApp: nil, id: "\(1000 + count)-way")
            ])
        }
    }

    private static func sets(of histories: [PackageID: ReleaseHistory]) -> [String: [PackageID: Bool]] {
        var sets: [String: [PackageID: Bool]] = [:]
        for (package, history) in histories {
            for entry in history.entries {
                if let set = entry.release.set { sets[set, default: [:]][package] = !entry.isRemoved }
            }
        }
        return sets
    }

    @Test(arguments: 1...400)
    func `a rollback leaves each set whole or takes it back whole, and is not lost`(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        var life = Life()
        for _ in 0..<Int.random(in: 2...14, using: &dice) {
            let known = life.histories.filter { $0.value.current != nil }.keys.sorted()
            if let package = known.randomElement(using: &dice), Int.random(in: 0..<5, using: &dice) == 0 {
                life.count += 1
                let isEmbedded = Bool.random(using: &dice)
                let newest = life.histories[package]?.current
                let steps = try life.rollingBack(package, isEmbedded: isEmbedded)
                #expect(try life.rollingBack(package, isEmbedded: isEmbedded) == steps, "the same each time")
                let added = steps.values.joined().compactMap { step in
                    if case .add(let release) = step { release.id } else { nil }
                }
                #expect(Set(added).count == added.count, "\(added)")
                let before = Self.sets(of: life.histories)
                for (package, steps) in steps { life.record(steps, of: package) }
                for (set, members) in Self.sets(of: life.histories) {
                    let whole = before[set] ?? [:]
                    // What was whole.
                    guard !whole.isEmpty, whole.values.allSatisfy(\.self) else { continue }
                    #expect(Set(members.values).count == 1, "\(set) is torn: \(members), \(steps)")
                }
                let history = try #require(life.histories[package])
                #expect(history.offered.contains { $0.rollout.reachesEveryone })
                if let newest, !newest.rollout.reachesNobody, isEmbedded ? newest.offer != .embedded : !steps.isEmpty {
                    #expect(history.offered.allSatisfy { $0.id != newest.id }, "\(package) still has \(newest.id)")
                }
            } else {
                let count = [1, 1, 2, 2, 3].randomElement(using: &dice) ?? 1
                try life.offer(
                    Array(Self.names.shuffled(using: &dice).prefix(count)),
                    share: [50, 50, 100, 0].randomElement(using: &dice) ?? 50, using: &dice)
            }
        }
    }

    /// The shapes in which one package loses several sets, in every order of their names.
    @Test(arguments: [["S", "T"], ["T", "S"]])
    func `a set beneath a release of everybody is only taken from there`(names: [String]) throws {
        let (b, c) = try (PackageID("b"), PackageID("c"))
        var life = Life()
        func release(_ package: String, _ text: String, _ share: Int, set: String? = nil) throws -> ReleaseHistory.Step
        {
            try .add(
                Release(
                    id: "\(package)-\(text.replacing(".", with: "-"))",
                    offer: .version(SemanticVersion(text), manifest: Digest(of: Array("\(package)\(text)".utf8))),
                    rollout: Rollout(percent: share), set: set))
        }
        let moments: [[(PackageID, ReleaseHistory.Step)]] = try [
            [(b, release("b", "1.0.0", 100)), (c, release("c", "1.0.0", 100))],
            [(b, release("b", "1.1.0", 50, set: names[0])), (c, release("c", "1.1.0", 50, set: names[0]))],
            [(b, release("b", "1.2.0", 100))],
            [(b, release("b", "1.3.0", 50, set: names[1])), (c, release("c", "1.3.0", 50, set: names[1]))],
        ]
        for moment in moments {
            life.count += 1
            for (package, step) in moment { life.record([step], of: package) }
        }
        life.count += 1
        for package in [b, c] {
            var after = life
            for (other, steps) in try life.rollingBack(package, isEmbedded: false) { after.record(steps, of: other) }
            #expect(ReleaseHistory.list(after.histories[b]?.offered ?? []) == "1.2.0")
            #expect(ReleaseHistory.list(after.histories[c]?.offered ?? []) == "1.0.0")
            #expect(after.histories[b]?.entry(of: names[0]) == nil && after.histories[c]?.entry(of: names[0]) == nil)
        }
    }
}
