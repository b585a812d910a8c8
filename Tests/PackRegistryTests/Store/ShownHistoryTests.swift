import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// What people see of channels. A SQL store reads it without the many releases that newer ones hide; the twin in memory reads everything.
@Suite("ShownHistoryTests") struct ShownHistoryTests {
    @Test(arguments: [StoreKind.sqlite, .postgres], [1, 2, 3] as [UInt64])
    func `what a channel shows and leads back to does not depend on how much of its past is read`(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let benches = [try await StoreBench(.memory), try await StoreBench(kind)]
        let versions = (0..<5).map { "1.\($0).0" }
        for bench in benches {
            for package in StoreBench.packages {
                for version in versions { try await bench.publish(package, version) }
            }
        }
        var dice = SeededGenerator(seed: seed)
        var (rollbackCount, changeCount) = (0, 0)
        for step in 1...120 {
            let package = try #require(StoreBench.packages.randomElement(using: &dice))
            let change = try Self.change(versions, using: &dice)
            var outcomes: [Bool] = []
            for bench in benches {
                let time = bench.now + Double(step)
                let committer = ChangeCommitter(store: bench.store, signer: bench.signer, clock: { time })
                do {
                    try await committer.commit(bench.release(change, package, bits: UInt32(step)), as: bench.ann)
                    outcomes.append(true)
                } catch is RegistryError {
                    outcomes.append(false)
                }
            }
            try #require(outcomes[0] == outcomes[1], "\(change)")
            changeCount += outcomes[0] ? 1 : 0
            let (expected, found) = try await (
                benches[0].store.overview(of: []), benches[1].store.overview(of: [])
            )
            try #require(found.channels == expected.channels, "\(change)")
            try #require(found.earlier == expected.earlier, "\(change)")
            try #require(found.rollbacks == expected.rollbacks, "\(change)")
            rollbackCount += found.rollbacks.values.contains { !$0.isEmpty } ? 1 : 0
        }
        #expect(changeCount > 60 && rollbackCount > 10)
    }

    private static func change(_ versions: [String], using dice: inout SeededGenerator) throws -> ChannelChange {
        let version = try SemanticVersion(versions.randomElement(using: &dice) ?? "")
        switch Int.random(in: 0..<10, using: &dice) {
        case 0...4:
            let share = [0, 10, 100, 100].randomElement(using: &dice) ?? 0
            return try .offer(version, Rollout(share: Share(percent: share)), consent: [.older, .again])
        case 5: return try .setRollout(Share(percent: [0, 20, 100].randomElement(using: &dice) ?? 0), of: version)
        case 6, 7: return .rollBack(to: Bool.random(using: &dice) ? version : nil)
        case 8: return .rollBackToEmbedded
        default: return .retry()
        }
    }
}
