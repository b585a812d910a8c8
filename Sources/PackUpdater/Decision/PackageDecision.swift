import PackFormat

/// What one package of a device should do about its channel, and why.
struct PackageDecision {
    enum Choice: Equatable {
        /// The device runs what the channel offers to it.
        case upToDate
        /// The channel does not have the package, or offers this device no version of it.
        case nothing
        /// The feature gate is off: the device has no pages of the package; its `origins` answer instead.
        case disabled
        case install(VersionID, PackageState.ReleaseMark)
        /// - Parameter isWithdrawn: Whether the publisher has withdrawn the active version.
        case embedded(PackageState.ReleaseMark, isWithdrawn: Bool)
        /// The signed metadata about the package is not available or not trusted, and why.
        case undecided(String)
    }

    let choice: Choice
    /// Release by release, why it was passed over or taken.
    private(set) var steps: [String]
    /// What the channel offers this device now.
    let offered: VersionID?
    /// The set of the release that was chosen.
    var set: String?
    /// How an install is to go; nil for every other choice.
    var terms: RolloutDecision.Terms?
    /// What an update waits for before it installs. A page that somebody opens waits for nothing.
    var delay: String?

    /// Makes an install wait. Nothing else waits.
    mutating func wait(for reason: String) {
        guard case .install(let id, _) = choice else { return }
        delay = reason
        steps.append("\(id.version) is not installed yet: \(reason)")
    }

    mutating func doNotWait(because reason: String) {
        guard delay != nil else { return }
        delay = nil
        steps[steps.count - 1] = "it does not wait: \(reason)"
    }

    /// At most 4 KiB: it is written down for each package.
    var summary: String { Event.shortened(steps.joined(separator: "; ")) }

    var isMandatory: Bool { terms?.policy.isMandatory ?? false }

    /// When pages get the version: by the release's policy, else as the app has it. A mandatory version is shown at
    /// once if its policy does not say.
    func install(else configured: ClientPolicy.Install) -> ClientPolicy.Install {
        terms?.policy.install ?? (isMandatory ? .now : configured)
    }

    /// Takes the first release that admits the device, that did not fail on it, and that its publisher still lists.
    /// - Parameters:
    ///   - sets: which sets the device can install as a whole.
    ///   - time: on the device's clock.
    ///   - targets: nil leaves out what the publisher says, for a package that is not to be installed.
    ///   - isThere: whether the store has the files of a version.
    static func make(
        _ package: PackageID, app: String, channel: ChannelFile.Package, state: PackageState, facts: DeviceFacts,
        sets: SetCheck, time: LocalTime, targets: (any SignedTargets)?,
        isThere: @Sendable (VersionID) throws -> Bool
    ) async throws -> PackageDecision {
        guard channel.isEnabled else {
            return PackageDecision(
                choice: .disabled, steps: ["the channel's feature gate is off"], offered: nil)
        }
        var steps: [String] = []
        var rest = channel.releases
        while true {
            let decision = RolloutDecision(
                app: app, package: package, releases: rest, device: facts, refusedSets: sets.refused)
            if let kept = try await kept(decision, app: app, package, state, facts, targets, isThere) {
                steps += decision.steps.prefix { $0.release.id != kept.release.id }.map(text)
                steps.append(
                    "\(name(kept.release)): the device has it, and keeps it while a group that it asks for cannot be read"
                )
                return PackageDecision(choice: .upToDate, steps: steps, offered: kept.id)
            }
            steps += decision.steps.map(text)
            guard let release = decision.release else {
                steps.append("no release is left for this device")
                return PackageDecision(choice: .nothing, steps: steps, offered: nil)
            }
            let mark = PackageState.ReleaseMark(id: release.id, retry: release.retry, set: release.set)
            let id: VersionID?
            switch release.offer {
            case .version(let version, let manifest): id = VersionID(version: version, manifest: manifest)
            case .embedded: id = state.embedded?.id
            }
            if case .embedded = release.offer, state.embedded == nil, let active = state.active {
                let isWithdrawn = await isWithdrawn(active.id, package, targets)
                guard active.isConfirmed, !isWithdrawn else {
                    return PackageDecision(
                        choice: .embedded(mark, isWithdrawn: isWithdrawn), steps: steps, offered: nil,
                        set: release.set)
                }
                steps.append("the app embeds nothing: \(active.id), which was confirmed here, stays")
                return PackageDecision(choice: .upToDate, steps: steps, offered: active.id)
            }
            if state.active?.id == id {
                guard case .version = release.offer, let id else {
                    return PackageDecision(choice: .upToDate, steps: steps, offered: id)
                }
                // What cannot be asked now is no reason to leave a version that runs.
                let withdrawn = (try? await reasonNotSigned(release, package, targets)) ?? nil
                if withdrawn == nil, try isThere(id) {
                    return PackageDecision(choice: .upToDate, steps: steps, offered: id)
                }
                if withdrawn == nil { steps.append("its files are gone") }
            }
            if let set = release.set, let reason = sets.undecided[set] {
                return PackageDecision(choice: .undecided(reason), steps: steps + [reason], offered: nil, set: set)
            }
            if let reason = try await reasonToRefuse(release, package, in: channel.releases, state, targets) {
                steps.append("\(id?.description ?? "it") is passed over: \(reason)")
                rest = Array(rest.drop { $0.id != release.id }.dropFirst())
                continue
            }
            guard case .version = release.offer, let id else {
                return PackageDecision(
                    choice: .embedded(mark, isWithdrawn: false), steps: steps, offered: id, set: release.set)
            }
            let terms = RolloutDecision.terms(
                of: release, in: channel, app: app, package: package, device: facts, running: state.active?.id.version)
            if let skipped = terms.skipped { steps.append("it is mandatory: the device skips \(skipped), which was") }
            let delay = try terms.policy.delay(network: facts.network, needsNetwork: !isThere(id), at: time)
            var install = PackageDecision(
                choice: .install(id, mark), steps: steps, offered: id, set: release.set, terms: terms)
            if let delay { install.wait(for: delay) }
            return install
        }
    }

    private static func kept(
        _ decision: RolloutDecision, app: String, _ package: PackageID, _ state: PackageState, _ facts: DeviceFacts,
        _ targets: (any SignedTargets)?, _ isThere: @Sendable (VersionID) throws -> Bool
    ) async throws -> (release: Release, id: VersionID)? {
        guard let kept = releaseKept(decision, app: app, package, state, facts), try isThere(kept.id),
            (try? await reasonNotSigned(kept.release, package, targets)) ?? nil == nil
        else { return nil }
        return kept
    }

    /// The release that the device runs, if nothing but a group that cannot be read keeps it from taking it again. Nobody
    /// gets a release by such a group, and nobody loses one.
    static func releaseKept(
        _ decision: RolloutDecision, app: String, _ package: PackageID, _ state: PackageState, _ facts: DeviceFacts
    ) -> (release: Release, id: VersionID)? {
        guard !facts.unreadableGroups.isEmpty, let active = state.active else { return nil }
        let own = decision.steps.first {
            !$0.reason.isAdmitted && $0.release.id == active.installed.release?.id && $0.release.versionID == active.id
        }
        guard let release = own?.release else { return nil }
        let known = RolloutDecision(app: app, package: package, releases: [release], device: facts.inUnreadableGroups)
        return known.release == nil ? nil : (release, active.id)
    }

    private static func text(_ step: RolloutDecision.Step) -> String { "\(name(step.release)): \(step.reason)" }

    static func text(_ failure: PackageState.Failure) -> String {
        "it failed on this device (\(failure.reason)) and is tried again only by a newer release or a retry"
    }

    static func reasonToRefuse(
        _ release: Release, _ package: PackageID, in releases: [Release], _ state: PackageState,
        _ targets: (any SignedTargets)?
    ) async throws -> String? {
        if let failure = state.failure(blocking: release, in: releases) {
            return text(failure)
        }
        return try await reasonNotSigned(release, package, targets)
    }

    private static func reasonNotSigned(
        _ release: Release, _ package: PackageID, _ targets: (any SignedTargets)?
    ) async throws -> String? {
        guard let targets, case .version(let version, let manifest) = release.offer else { return nil }
        guard let signed = try await targets.file(ViewLayout.manifestTarget(package, version)) else {
            return "its publisher does not list it, or withdrew it"
        }
        if signed.digest != manifest { return "the channel names another manifest than its publisher signed" }
        return nil
    }

    /// What cannot be asked now is not withdrawn.
    private static func isWithdrawn(
        _ id: VersionID, _ package: PackageID, _ targets: (any SignedTargets)?
    ) async -> Bool {
        guard let targets else { return false }
        do {
            return try await targets.file(ViewLayout.manifestTarget(package, id.version))?.digest != id.manifest
        } catch {
            return false
        }
    }

    private static func name(_ release: Release) -> String {
        switch release.offer {
        case .version(let version, _): "release \(release.id) of \(version)"
        case .embedded: "release \(release.id), back to the embedded version"
        }
    }
}
