import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// How often the standard gate halts a sound release, and how soon it finds a bad one. `docs/REPORTS.md` has the figures of
/// `PACKTOOL_LONG=1`, with 1,000 rollouts each; the ordinary run has fewer.
@Suite("GateSimulationTests") struct GateSimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"
    private static let runs = isLong ? 1_000 : 40

    @Test func `sound releases are hardly ever halted`() throws {
        for before in Self.isLong ? [0.002, 0.02, 0.05] : [0.02] {
            var simulation = GateSimulation(before: before)
            if !Self.isLong { (simulation.baseline, simulation.devices) = (3_000, 2_500) }
            let outcomes = (0..<Self.runs).map { simulation.run(seed: UInt64($0)) }
            let halts = outcomes.count { $0.haltedAt != nil }
            let clear = outcomes.compactMap(\.clearAt).sorted()
            print(
                "gate: healthy, \(before * 100) % fail anyway: \(halts) of \(Self.runs) halted; the next step was allowed to",
                "\(clear.count), at \(clear.isEmpty ? 0 : clear[clear.count / 2]) devices in the middle")
            #expect(halts <= Self.runs / 100, "\(halts) false halts with \(before)")
            #expect(clear.count >= Self.runs * 95 / 100)
        }
    }

    @Test func `what is tolerated is hardly ever halted, at its very border`() throws {
        for before in Self.isLong ? [0.005, 0.02] : [0.02] {
            var simulation = GateSimulation(before: before, worse: 0.005)
            if !Self.isLong { (simulation.baseline, simulation.devices) = (3_000, 2_500) }
            let halts = (0..<Self.runs).count { simulation.run(seed: UInt64(10_000 + $0)).haltedAt != nil }
            print(
                "gate: \(before * 100) % fail anyway, worse by just what is tolerated: \(halts) of \(Self.runs) halted")
            #expect(halts <= max(2, Self.runs * 2 / 100))
        }
    }

    @Test func `a release that fails on 3 % more is halted within 2,000 devices`() throws {
        for before in Self.isLong ? [0, 0.01, 0.02] : [0.02] {
            let simulation = GateSimulation(before: before, worse: 0.03, devices: 2_000)
            let found = (0..<Self.runs).compactMap { simulation.run(seed: UInt64(20_000 + $0)).haltedAt }.sorted()
            print(
                "gate: \(before * 100) % fail anyway, and 3 % more: \(found.count) of \(Self.runs) found within 2,000 devices,",
                "half of them within \(found.isEmpty ? 0 : found[found.count / 2])")
            #expect(found.count >= Self.runs * 95 / 100, "\(found.count) of \(Self.runs) with \(before)")
        }
    }
}
