import Crypto
import Foundation
import PackFormat
import TestSupport

/// A release whose share grows in steps, and the devices that look at each step.
struct MeasuredRollout {
    /// What a step has come to.
    private struct Tally {
        /// Devices that take the release.
        var taken = 0
        /// Devices that took it at the step before, and no longer do.
        var left = 0
        /// Devices about which device and server do not agree.
        var differing = 0
    }

    private static let shares = [100, 500, 1_000, 2_500, 5_000, 10_000]
    private static let audiences = [
        "platform=ios,android; app>=2; locale=de,fr,en", "os>=16.5; tag.tier=gold,silver", "region=AT,US",
        "model=iPhone14*; network=unmetered; group=testers",
    ]
    /// So many devices are in memory at once.
    private static let batch = 2_000

    private let package: PackageID
    /// What the channel offers at each step, read from the channel file's bytes.
    private let steps: [ChannelOffers]
    /// What the plainest decision knows: the share of each package, as the largest bucket.
    private let buckets: [PackageID: UInt64]
    private var dice: SeededGenerator
    private var tallies: [Tally]
    private var own = Stopwatch()
    private var served = Stopwatch()
    private var explained = Stopwatch()
    private var bare = Stopwatch()

    init(seed: UInt64) throws {
        let package = try PackageID("checkout")
        self.package = package
        steps = try Self.shares.map { share in
            let releases = [
                try release(
                    "r3", "1.2.0",
                    Rollout(share: Share(tenThousandths: share), audiences: Self.audiences.map { try Audience($0) })),
                try release(
                    "r2", "1.1.0", Rollout(share: Share(percent: 40), audiences: [Audience("platform=linux; app<3")]),
                    ClientPolicy(network: .unmetered)),
                try release("r1", "1.0.0"),
            ]
            let file = ChannelFile(
                app: "shop", channel: try ChannelName("stable"),
                packages: [package: ChannelFile.Package(releases: releases)],
                groups: ["testers": GroupReference(deviceCount: 1, digest: Digest(of: Array("testers".utf8)))])
            return ChannelOffers(try ChannelFile(parsing: file.bytes))
        }
        buckets = [package: UInt64.max / 2]
        dice = SeededGenerator(seed: seed)
        tallies = steps.map { _ in Tally() }
    }

    mutating func run(_ count: Int) async throws {
        var rest = count
        while rest > 0 {
            var devices: [DeviceFacts] = []
            for _ in 0..<min(rest, Self.batch) { devices.append(try DeviceFacts(RandomDevice(using: &dice))) }
            try await decide(devices)
            rest -= devices.count
        }
    }

    /// All decide at each step. The explanation, which takes longer, is asked for at one step for each device.
    private mutating func decide(_ devices: [DeviceFacts]) async throws {
        var had = devices.map { _ in false }
        for (number, offers) in steps.enumerated() {
            var (mine, theirs): ([String?], [String?]) = ([], [])
            own.start()
            for device in devices {
                let check = try await DeviceCheck(offers.file, offers.sets, device)
                mine.append(try await check.release(of: package))
            }
            own.stop(devices.count)
            served.start()
            for device in devices { theirs.append(offers.decision(for: device, package).release?.id) }
            served.stop(devices.count)
            for index in devices.indices {
                let isTaken = mine[index] == "r3"
                if isTaken { tallies[number].taken += 1 }
                if had[index], !isTaken { tallies[number].left += 1 }
                had[index] = isTaken
                if mine[index] != theirs[index] { tallies[number].differing += 1 }
            }
            let asking = stride(from: number, to: devices.count, by: steps.count)
            var explanations: [String?] = []
            explained.start()
            for index in asking {
                explanations.append(RolloutExplanation(package, in: offers.file, for: devices[index]).release?.id)
            }
            explained.stop(explanations.count)
            for (index, explanation) in zip(asking, explanations) where mine[index] != explanation {
                tallies[number].differing += 1
            }
            var count = 0
            bare.start()
            for device in devices where isInHalf(device.deviceID) { count += 1 }
            bare.stop(devices.count)
            guard count > 0 || devices.count < Self.batch else { throw Fault("the bare hash is in no half") }
        }
    }

    /// The least that a decision can do: the SHA-256 of the same text, and one look into a dictionary.
    private func isInHalf(_ device: String) -> Bool {
        let hash = SHA256.hash(data: Data("shop/checkout/r3/\(device)".utf8))
        return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } < buckets[package] ?? 0
    }

    func printResults() {
        let audience = tallies.last?.taken ?? 0
        for (share, tally) in zip(Self.shares, tallies) {
            print("step", share, tally.taken, audience, tally.left, tally.differing, separator: "\t")
        }
        print("rate", "device", own.rate, separator: "\t")
        print("rate", "server", served.rate, separator: "\t")
        print("rate", "explained", explained.rate, separator: "\t")
        print("rate", "bare", bare.rate, separator: "\t")
    }
}

extension DeviceFacts {
    init(_ device: RandomDevice) throws {
        try self.init(
            deviceID: device.id, appVersion: device.app.map { try AppVersion($0) }, platform: device.platform,
            tags: device.tags, osVersion: device.system.map { try AppVersion($0) }, locale: device.locale,
            region: device.region, model: device.model,
            network: device.isUnmetered.map { $0 ? .unmetered : .metered }, groups: device.groups)
    }
}

func release(
    _ id: String, _ version: String, _ rollout: Rollout = .everyone, _ policy: ClientPolicy = .standard,
    set: String? = nil
) throws -> Release {
    try Release(
        id: id, offer: .version(SemanticVersion(version), manifest: Digest(of: Array("\(id) \(version)".utf8))),
        rollout: rollout, policy: policy, set: set)
}
