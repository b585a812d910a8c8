import PackFormat

/// What one package of a device should do about its channel, and why.
struct PackageDecision {
    enum Choice: Equatable {
        /// The device runs what the channel offers to it.
        case upToDate
        /// The channel does not know the package, or offers it nothing.
        case nothing
        /// The feature gate is off: pages load online.
        case disabled
        case install(VersionID, PackageState.ReleaseMark)
        case embedded(PackageState.ReleaseMark)
        /// The signed metadata about the package cannot be had or trusted, and why.
        case undecided(String)
    }

    let choice: Choice
    /// Release by release, why it was passed over or taken.
    let steps: [String]
    /// What the channel offers this device now.
    let offered: VersionID?

    var summary: String { steps.joined(separator: "; ") }

    /// Takes the first release that admits the device, that did not fail on it, and that its publisher still lists.
    static func make(
        _ package: PackageID, app: String, channel: ChannelFile.Package?, state: PackageState, facts: DeviceFacts,
        targets: any SignedTargets
    ) async throws -> PackageDecision {
        guard let channel else {
            return PackageDecision(choice: .nothing, steps: ["the channel does not have the package"], offered: nil)
        }
        guard channel.isEnabled else {
            return PackageDecision(
                choice: .disabled, steps: ["the channel's feature gate is off: pages load online"], offered: nil)
        }
        var steps: [String] = []
        var rest = channel.releases
        while true {
            let decision = RolloutDecision(app: app, package: package, releases: rest, device: facts)
            steps += decision.steps.map { "\(name($0.release)): \($0.reason)" }
            guard let release = decision.release else {
                steps.append("no release is left for this device")
                return PackageDecision(choice: .nothing, steps: steps, offered: nil)
            }
            let mark = PackageState.ReleaseMark(id: release.id, retry: release.retry)
            guard case .version(let version, let manifest) = release.offer else {
                let isThere = state.active?.id == state.embedded?.id
                return PackageDecision(
                    choice: isThere ? .upToDate : .embedded(mark), steps: steps, offered: state.embedded?.id)
            }
            let id = VersionID(version: version, manifest: manifest)
            if state.active?.id == id {
                return PackageDecision(choice: .upToDate, steps: steps, offered: id)
            }
            if let reason = try await reasonToRefuse(release, id, package, in: channel.releases, state, targets) {
                steps.append("\(version) is passed over: \(reason)")
                rest = Array(rest.drop { $0.id != release.id }.dropFirst())
                continue
            }
            return PackageDecision(choice: .install(id, mark), steps: steps, offered: id)
        }
    }

    private static func reasonToRefuse(
        _ release: Release, _ id: VersionID, _ package: PackageID, in releases: [Release], _ state: PackageState,
        _ targets: any SignedTargets
    ) async throws -> String? {
        if let failure = state.failure(blocking: release, in: releases) {
            return "it failed on this device (\(failure.reason)) and is tried again only by a newer release or a retry"
        }
        guard let signed = try await targets.file(ViewLayout.manifestTarget(package, id.version)) else {
            return "its publisher does not list it, or withdrew it"
        }
        if signed.digest != id.manifest { return "the channel names another manifest than its publisher signed" }
        return nil
    }

    private static func name(_ release: Release) -> String {
        switch release.offer {
        case .version(let version, _): "release \(release.id) of \(version)"
        case .embedded: "release \(release.id), back to the embedded version"
        }
    }
}
