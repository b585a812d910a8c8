package import PackFormat

/// What a growing share does to a population: each device checks when it does, and decides by ``RolloutDecision`` as a real
/// one. The clock is a number; nothing waits.
package struct RolloutSimulation: Sendable {
    /// A share from a moment on.
    package struct Moment: Hashable, Sendable {
        /// Seconds since the rollout began.
        package let time: Double
        package let share: Share

        package init(time: Double, share: Share) {
            self.time = time
            self.share = share
        }
    }

    /// What a device fetches to get the simulated version.
    package struct Download: Hashable, Sendable {
        package let size: Int
        /// No patch exists from what the device has.
        package let isFull: Bool

        package init(size: Int, isFull: Bool) {
            self.size = size
            self.isFull = isFull
        }
    }

    /// The columns of the curve.
    package static let columnCount = 240

    package let moments: [Moment]
    package let horizon: Double
    private let app: String
    /// Of each moment, the channel and its sets.
    private let files: [(file: ChannelFile, sets: ReleaseSets)]
    private let targets: [PackageID: Release]
    private let population: Population
    private let downloads: [PackageID: [SemanticVersion?: Download]]

    /// - Parameters:
    ///   - targets: The releases whose share grows; they are in the channel, or come before what it offers.
    ///   - downloads: For each package, by the version that a device has.
    package init(
        _ channel: ChannelFile, targets: [PackageID: Release], moments: [Moment], population: Population,
        downloads: [PackageID: [SemanticVersion?: Download]]
    ) throws(FormatError) {
        self.moments = moments
        self.population = population
        self.downloads = downloads
        self.targets = targets
        app = channel.app
        let longest = population.checkIntervals.values.compactMap(\.value).max() ?? 86_400
        horizon = (moments.last?.time ?? 0) + longest
        var files: [(ChannelFile, ReleaseSets)] = []
        for moment in moments {
            var packages = channel.packages
            for (package, target) in targets {
                let release = try target.with(
                    rollout: Rollout(share: moment.share, audiences: target.rollout.audiences))
                let known = packages[package]
                var releases = known?.releases ?? []
                if let index = releases.firstIndex(where: { $0.id == target.id }) {
                    releases[index] = release
                } else {
                    releases.insert(release, at: 0)
                }
                packages[package] = ChannelFile.Package(releases: releases, isEnabled: known?.isEnabled ?? true)
            }
            let file = ChannelFile(app: channel.app, channel: channel.channel, packages: packages)
            files.append((file, ReleaseSets(of: file)))
        }
        self.files = files
    }

    /// Simulates some of the devices; the results of parts add up.
    package func run(_ devices: Range<Int>) -> SimulationResult {
        var result = SimulationResult(columnCount: Self.columnCount, momentCount: moments.count)
        let packages = targets.keys.sorted()
        for index in devices {
            let device = population.device(index)
            result.deviceCount += 1
            let platform = device.facts.platform ?? "not known"
            result.platforms[platform, default: (0, 0)].devices += 1
            guard let time = timeOfUpdate(device, packages, &result) else { continue }
            result.platforms[platform]?.updated += 1
            result.updatedCount += 1
            result.columns[min(Self.columnCount - 1, Int(time / horizon * Double(Self.columnCount)))] += 1
            for package in packages { count(package, device, &result) }
        }
        return result
    }

    /// When a device gets the simulated releases; nil if it never does, or has them already.
    private func timeOfUpdate(
        _ device: Population.Device, _ packages: [PackageID], _ result: inout SimulationResult
    ) -> Double? {
        guard let last = moments.indices.last else { return nil }
        // Whoever is not in at the end was never in: shares only grow.
        if let reason = refusal(device, packages, at: last, &result) {
            result.reasons[reason, default: 0] += 1
            return nil
        }
        if packages.allSatisfy({ device.installed[$0] == targets[$0]?.version && device.installed[$0] != nil }) {
            result.reasons["the device has it already", default: 0] += 1
            return nil
        }
        result.admittedCount += 1
        for (index, moment) in moments.enumerated() {
            let end = index == last ? horizon : moments[index + 1].time
            var check = device.firstCheck
            if check < moment.time { check += ((moment.time - check) / device.interval).rounded(.up) * device.interval }
            guard check < end || index == last else { continue }
            if index == last || refusal(device, packages, at: index, &result) == nil {
                result.updatesOfMoment[index] += 1
                return min(check, horizon)
            }
        }
        return nil
    }

    /// Why one of the packages is not taken at a moment; nil if all are.
    private func refusal(
        _ device: Population.Device, _ packages: [PackageID], at moment: Int, _ result: inout SimulationResult
    ) -> String? {
        let (file, sets) = files[moment]
        let refused = sets.refusals(app: app, device.facts)
        for package in packages {
            result.decisionCount += 1
            let decision = RolloutDecision(
                app: app, package: package, releases: file.packages[package]?.releases ?? [], device: device.facts,
                refusedSets: refused)
            guard decision.release?.id != targets[package]?.id else {
                // The network of a described device is the same at each check.
                guard let policy = targets[package]?.policy, policy.network == .unmetered,
                    device.facts.network != .unmetered
                else { continue }
                return "they wait for an unmetered network"
            }
            let step = decision.steps.first { $0.release.id == targets[package]?.id }
            guard let step else { return "a newer release than the simulated one is selected" }
            return step.reason.kind
        }
        return nil
    }

    private func count(_ package: PackageID, _ device: Population.Device, _ result: inout SimulationResult) {
        let own = device.installed[package]
        guard own != targets[package]?.version || own == nil else { return }
        // From a version that the registry does not know there is no patch.
        let download = downloads[package]?[own] ?? downloads[package]?[nil]
        result.downloadCount += 1
        result.bytes += download?.size ?? 0
        if own == nil {
            result.firstCount += 1
        } else if download?.isFull ?? true {
            result.withoutPatchCount += 1
            result.bytesWithoutPatch += download?.size ?? 0
        }
    }
}

extension RolloutDecision.Reason {
    /// The reason without the device's own values, so that a million devices have a few.
    fileprivate var kind: String {
        switch self {
        case .admitted: "a newer release is selected"
        case .outsideShare(let share): "outside of the \(share)"
        case .outsideAudience: "outside of the audience"
        case .appTooOld(let range, _): "the app does not meet \(range)"
        case .notUnderstood: "the release says what this program does not know"
        case .setNotTaken: "another package of the set does not admit the device"
        }
    }
}
