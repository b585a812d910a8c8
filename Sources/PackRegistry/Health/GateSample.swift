package import PackRegistryAPI

/// The devices of one version as a gate counts them: no network counts for more than the one at a given place by size.
///
/// Anybody can send reports, and a thousand report ids cost nothing; a thousand networks do. Where five networks are asked for,
/// the four largest are cut down to the fifth: with fewer than five networks nobody adds more than the fifth one has.
package struct GateSample: Hashable, Sendable {
    /// As it was reported.
    package private(set) var reported = GateReading.Sample()
    /// All devices with the version, and those of them that failed so far. Devices that still have time count as sound.
    package let sofar: FailureCount
    /// The devices that have had their time. Of failures all count here, so that a forger cannot make a release look better.
    package let judged: FailureCount
    /// The same with failures cut down too, for the version to compare with.
    package let comparable: FailureCount
    /// Devices that do not count, because their networks sent too much.
    package let uncounted: Int
    package let networkCount: Int

    private struct Network {
        var active = 0
        var failed = 0
        var judgedSound = 0
        var judgedFailed = 0
    }

    /// - Parameter networks: at which place the network is, by size, to which larger ones are cut down.
    package init(_ counts: [ExposureCount], networks place: Int) {
        var networks: [Int?: Network] = [:]
        for count in counts {
            let isSilent = count.outcome == nil && count.isMature
            let hasFailed = isSilent || count.outcome == .failed
            var network = networks[count.network] ?? Network()
            network.active += count.devices
            reported.active += count.devices
            switch count.outcome {
            case .confirmed: reported.confirmed += count.devices
            case .failed: reported.failed += count.devices
            case nil where isSilent: reported.silent += count.devices
            case nil: reported.waiting += count.devices
            }
            if hasFailed { network.failed += count.devices }
            if count.isMature {
                if hasFailed { network.judgedFailed += count.devices } else { network.judgedSound += count.devices }
            }
            networks[count.network] = network
        }
        func total(_ field: KeyPath<Network, Int>, isCut: Bool = true) -> Int {
            let sizes = networks.values.map { $0[keyPath: field] }.sorted(by: >)
            let limit = !isCut || place <= 1 ? Int.max : sizes.count >= place ? sizes[place - 1] : 0
            return sizes.reduce(0) { $0 + min($1, limit) }
        }
        networkCount = networks.count
        let active = total(\.active)
        let failed = total(\.failed)
        sofar = FailureCount(failed, of: max(active, failed))
        let sound = total(\.judgedSound)
        let allFailed = total(\.judgedFailed, isCut: false)
        judged = FailureCount(allFailed, of: sound + allFailed)
        let comparableFailed = total(\.judgedFailed)
        comparable = FailureCount(comparableFailed, of: sound + comparableFailed)
        uncounted = reported.active - active
    }

    /// Whether more was cut off than a few large networks explain. Such data may halt a release, but not let it go on.
    package var isSuspicious: Bool { uncounted > 20 && uncounted > reported.active / 2 }
}
