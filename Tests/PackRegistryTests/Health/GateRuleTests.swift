import Foundation
import PackFormat
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// What a gate makes of numbers.
@Suite("GateRuleTests") struct GateRuleTests {
    /// Devices spread over networks.
    static func devices(
        confirmed: Int = 0, failed: Int = 0, silent: Int = 0, waiting: Int = 0, networks: Int = 200, from first: Int = 0
    ) -> [ExposureCount] {
        var counts: [ExposureCount] = []
        func add(_ number: Int, _ outcome: StandingCount.Outcome?, isMature: Bool) {
            for network in 0..<networks {
                let part = number / networks + (network < number % networks ? 1 : 0)
                guard part > 0 else { continue }
                counts.append(
                    ExposureCount(network: first + network, isMature: isMature, outcome: outcome, devices: part))
            }
        }
        add(confirmed, .confirmed, isMature: true)
        add(failed, .failed, isMature: true)
        add(silent, nil, isMature: true)
        add(waiting, nil, isMature: false)
        return counts
    }

    private static func rule(_ gate: RolloutGate = .standard) throws -> GateRule {
        GateRule(gate, versionBefore: try SemanticVersion("1.0.0"))
    }

    @Test func `Wilson's and Newcombe's intervals are those of the papers`() throws {
        // Newcombe 1998, table II, method 10: (a) 56/70 against 48/80, (f) 10/10 against 0/20.
        let first = FailureDifference(FailureCount(56, of: 70), over: FailureCount(48, of: 80), z: 1.959964)
        #expect(abs(first.low - 0.0524) < 0.0001 && abs(first.high - 0.3339) < 0.0001, "\(first)")
        let last = FailureDifference(FailureCount(10, of: 10), over: FailureCount(0, of: 20), z: 1.959964)
        #expect(abs(last.low - 0.6791) < 0.0001 && abs(last.high - 1) < 0.0001, "\(last)")
        // Wilson: 15 of 148.
        let interval = FailureCount(15, of: 148).interval(z: 1.959964)
        #expect(abs(interval.low - 0.0624) < 0.0001 && abs(interval.high - 0.1605) < 0.0001, "\(interval)")
    }

    @Test func `a release that is worse halts, one that is as good goes on, and few devices wait`() throws {
        let rule = try Self.rule()
        let before = Self.devices(confirmed: 9_800, failed: 200)
        let good = rule.reading(Self.devices(confirmed: 980, failed: 20), sameDays: before)
        #expect(good.verdict == .clear, "\(good.text)")
        let bad = rule.reading(Self.devices(confirmed: 1_900, failed: 100), sameDays: before)
        #expect(bad.verdict == .halting && bad.leastDifference > 50, "\(bad.text)")
        #expect(bad.text.contains("100 of 2000 devices failed; of 1.0.0 it is 200 of 10000; surely"), "\(bad.text)")
        let few = rule.reading(Self.devices(confirmed: 50), sameDays: before)
        #expect(few.verdict == .waiting && few.text.contains("waits for 200 judged devices: 50 are"), "\(few.text)")
        let none = rule.reading([])
        #expect(none.verdict == .waiting && none.text.contains("0 of 0 devices failed"), "\(none.text)")
    }

    @Test func `silence after the gate's time is failure, and before it nothing`() throws {
        let rule = try Self.rule()
        let before = Self.devices(confirmed: 5_000)
        let silent = rule.reading(Self.devices(confirmed: 100, silent: 60), sameDays: before)
        #expect(silent.verdict == .halting && silent.text.contains("60 of them by silence"), "\(silent.text)")
        let waiting = rule.reading(Self.devices(confirmed: 100, waiting: 60), sameDays: before)
        #expect(waiting.verdict == .waiting && waiting.text.contains("60 more have up to 1d"), "\(waiting.text)")
        #expect(waiting.release.waiting == 60 && waiting.release.failures == 0)
    }

    @Test func `a version before that fails as much excuses the release, and little known of it does not`() throws {
        let rule = try Self.rule()
        let release = Self.devices(confirmed: 1_800, failed: 200)
        #expect(rule.reading(release, sameDays: Self.devices(confirmed: 900, failed: 100)).verdict != .halting)
        let alone = rule.reading(release, sameDays: Self.devices(confirmed: 10))
        #expect(alone.verdict == .halting && alone.text.contains("1.0.0 is taken to fail on 2 %"), "\(alone.text)")
        #expect(alone.text.contains(": 10 devices reported about it, and a comparison needs 100;"), "\(alone.text)")
        let nothing = rule.reading(release)
        #expect(nothing.text.contains(": 0 devices reported about it, and a comparison"), "\(nothing.text)")
        // Of the same days too few, of all days enough.
        let past = rule.reading(
            release, sameDays: Self.devices(confirmed: 9), allDays: Self.devices(confirmed: 900, failed: 100))
        #expect(past.verdict != .halting && past.before?.active == 1_000)
    }

    @Test func `100,000 forged reports of one network halt nothing, and let nothing go on`() throws {
        let rule = try Self.rule()
        let before = Self.devices(confirmed: 9_800, failed: 200)
        let honest = Self.devices(confirmed: 980, failed: 20)
        let failures = [ExposureCount(network: 999, isMature: true, outcome: .failed, devices: 100_000)]
        let attacked = rule.reading(honest + failures, sameDays: before)
        #expect(attacked.verdict == .waiting && attacked.isSuspicious, "\(attacked.text)")
        #expect(attacked.leastDifference < 50 && attacked.text.contains("do not count"), "\(attacked.text)")
        // As silence, and as activations that have time left.
        for outcome in [true, false] {
            let silent = [ExposureCount(network: 999, isMature: outcome, outcome: nil, devices: 100_000)]
            #expect(rule.reading(honest + silent, sameDays: before).verdict == .waiting)
        }
        // Praise does not hide what fails, nor does blame of the version before.
        let worse = Self.devices(confirmed: 900, failed: 100)
        let praise = [ExposureCount(network: 999, isMature: true, outcome: .confirmed, devices: 100_000)]
        #expect(rule.reading(worse + praise, sameDays: before).verdict == .halting)
        #expect(rule.reading(worse, sameDays: before + failures).verdict == .halting)
        #expect(rule.reading(honest, sameDays: before + failures).verdict == .waiting)
    }

    @Test func `failures must come from as many networks as the gate asks for`() throws {
        let rule = try Self.rule()
        let before = Self.devices(confirmed: 5_000)
        let four = rule.reading(
            Self.devices(confirmed: 500) + Self.devices(failed: 40, networks: 4, from: 500), sameDays: before)
        #expect(four.verdict != .halting, "\(four.text)")
        let five = rule.reading(
            Self.devices(confirmed: 500) + Self.devices(failed: 40, networks: 5, from: 500), sameDays: before)
        #expect(five.verdict == .halting, "\(five.text)")
        // A fleet behind one address.
        let office = try Self.rule(RolloutGate(networks: 1))
        let one = Self.devices(confirmed: 5_000, networks: 1)
        #expect(office.reading(Self.devices(confirmed: 500, networks: 1), sameDays: one).verdict == .clear)
        #expect(
            office.reading(Self.devices(confirmed: 460, failed: 40, networks: 1), sameDays: one).verdict == .halting)
        let narrow = rule.reading(Self.devices(confirmed: 500, networks: 2), sameDays: before)
        #expect(narrow.verdict == .waiting && narrow.text.contains("2 networks, and the gate asks for 5"))
    }
}
