package import PackFormat

/// Devices as they are described for a simulation: so many of each platform, app version, installed version and check
/// interval. Each device follows from its number and the seed, so any number of them needs no memory.
package struct Population: Sendable {
    package static let maximumDeviceCount = 100_000_000

    package struct Device: Sendable {
        package let facts: DeviceFacts
        /// Seconds between two checks, and when the first one is after the rollout began.
        package let interval: Double
        package let firstCheck: Double
        /// What the device has of each package; nil for nothing.
        package let installed: [PackageID: SemanticVersion]
    }

    package var deviceCount: Int
    package var seed: UInt64 = 1
    package var platforms = Weighted<String>()
    package var appVersions = Weighted<AppVersion>()
    package var osVersions = Weighted<AppVersion>()
    package var locales = Weighted<String>()
    package var regions = Weighted<String>()
    package var models = Weighted<String>()
    package var networks = Weighted<NetworkKind>()
    package var tags: [(name: String, values: Weighted<String>)] = []
    package var versions: [(package: PackageID, versions: Weighted<SemanticVersion>)] = []
    /// In seconds.
    package var checkIntervals = Weighted<Double>()

    package init(deviceCount: Int) {
        self.deviceCount = deviceCount
    }

    package func device(_ index: Int) -> Device {
        var dice = Dice(seed: seed, index: index)
        // One throw for all packages: who has an old version of one has old versions of all.
        let age = dice.next()
        var installed: [PackageID: SemanticVersion] = [:]
        for entry in versions { installed[entry.package] = entry.versions.value(at: age) }
        var tagValues: [String: String] = [:]
        for tag in tags { tagValues[tag.name] = tag.values.value(at: dice.next()) }
        let interval = checkIntervals.value(at: dice.next()) ?? 86_400
        let phase = Double(dice.next() >> 11) / Double(1 << 53)
        return Device(
            facts: DeviceFacts(
                deviceID: "\(seed)-\(index)",
                appVersion: appVersions.value(at: dice.next()), platform: platforms.value(at: dice.next()),
                tags: tagValues,
                osVersion: osVersions.value(at: dice.next()), locale: locales.value(at: dice.next()),
                region: regions.value(at: dice.next()), model: models.value(at: dice.next()),
                network: networks.value(at: dice.next())),
            interval: interval, firstCheck: phase * interval, installed: installed)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014), begun anew for each device.
    private struct Dice {
        private var state: UInt64

        init(seed: UInt64, index: Int) {
            state = seed &* 0xD1B5_4A32_D192_ED03 &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15
        }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}

/// Values with their shares.
package struct Weighted<Value: Sendable>: Sendable {
    /// nil stands for "not known", or "nothing".
    package let values: [(value: Value?, share: Double)]
    /// The highest random number that gives each value.
    private let limits: [UInt64]

    /// No value at all.
    package init() {
        values = []
        limits = []
    }

    /// - Parameter weights: 0 or more each, not all of them 0; they need not add up to anything.
    package init(_ weights: [(value: Value?, weight: Double)]) {
        let sum = weights.reduce(0) { $0 + $1.weight }
        values = weights.map { ($0.value, sum > 0 ? $0.weight / sum : 0) }
        var total = 0.0
        limits = values.map { entry in
            total += entry.share
            return total >= 1 ? .max : UInt64(total * 18_446_744_073_709_551_616.0)
        }
    }

    package func value(at place: UInt64) -> Value? {
        let index = limits.firstIndex { place <= $0 } ?? values.indices.last
        return index.flatMap { values[$0].value }
    }
}
