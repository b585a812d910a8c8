import Foundation
import PackFormat
import TestSupport

@testable import PackRegistry
@testable import PackRegistryAPI

/// Rollouts whose devices fail at random, watched by the gate after every few devices.
struct GateSimulation {
    /// The share of devices on which the version before fails.
    var before = 0.02
    /// By how much the release is worse.
    var worse = 0.0
    /// Devices of the version before that reported.
    var baseline = 10_000
    /// Devices that get the release, one after the other.
    var devices = 10_000
    /// The gate looks each time that the devices grew by this part; it may look as often as it likes.
    var lookEvery = 0.05
    var networks = 60
    var gate = RolloutGate.standard

    struct Outcome {
        /// Devices that had the release at the halt; nil: it was not halted.
        var haltedAt: Int?
        /// Devices that had it when the next step was first allowed.
        var clearAt: Int?
    }

    func run(seed: UInt64) -> Outcome {
        var random = SeededGenerator(seed: seed)
        func fails(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
        var old: [Int: (sound: Int, failed: Int)] = [:]
        for _ in 0..<baseline {
            let network = Int.random(in: 0..<networks, using: &random)
            if fails(before) {
                old[network, default: (0, 0)].failed += 1
            } else {
                old[network, default: (0, 0)].sound += 1
            }
        }
        let known = GateSample(Self.counts(old), networks: gate.networks)
        let rule = GateRule(gate, versionBefore: nil)
        var new: [Int: (sound: Int, failed: Int)] = [:]
        var outcome = Outcome()
        var next = 20.0
        for device in 1...devices {
            let network = Int.random(in: 0..<networks, using: &random)
            if fails(before + worse) {
                new[network, default: (0, 0)].failed += 1
            } else {
                new[network, default: (0, 0)].sound += 1
            }
            guard Double(device) >= next || device == devices else { continue }
            next = max(next * (1 + lookEvery), next + 1)
            switch rule.reading(GateSample(Self.counts(new), networks: gate.networks), [known]).verdict {
            case .halting:
                outcome.haltedAt = device
                return outcome
            case .clear: outcome.clearAt = outcome.clearAt ?? device
            case .waiting: break
            }
        }
        return outcome
    }

    private static func counts(_ devices: [Int: (sound: Int, failed: Int)]) -> [ExposureCount] {
        devices.flatMap { network, count in
            [
                ExposureCount(network: network, isMature: true, outcome: .confirmed, devices: count.sound),
                ExposureCount(network: network, isMature: true, outcome: .failed, devices: count.failed),
            ]
        }
    }
}
