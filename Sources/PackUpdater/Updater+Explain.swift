public import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Updater {
    /// What a rollout may look at on this device.
    /// - Parameter groups: Those of the channel.
    func deviceFacts(_ state: StoreState, groups: GroupMembership) -> DeviceFacts {
        DeviceFacts(
            deviceID: configuration.deviceID ?? state.deviceID, appVersion: configuration.appVersion,
            platform: configuration.platform, tags: configuration.tags, osVersion: configuration.osVersion,
            locale: configuration.locale, region: configuration.region, model: configuration.model,
            network: configuration.network(), groups: groups.names, unreadableGroups: groups.unreadable)
    }

    /// Why each package has what it has, by the channel file of the last check and by what the device is now. Nothing is
    /// fetched.
    /// - Parameter packages: Empty for those that are on the device, or all of the channel if none is.
    /// - Returns: Nothing if no check has read the channel yet.
    public func explain(_ packages: [PackageID] = []) throws -> [RolloutExplanation] {
        guard let channel = ChannelReader.cached(self.channel, store.layout) else { return [] }
        let state = try store.state()
        let deviceID = configuration.deviceID ?? state.deviceID
        let facts = deviceFacts(state, groups: GroupReader.cached(of: deviceID, in: channel, store.layout))
        var refusals: [String: String] = [:]
        for (package, content) in channel.packages {
            for release in content.releases {
                guard let failure = state[package].failure(blocking: release, in: content.releases) else { continue }
                refusals[release.id] = PackageDecision.text(failure)
            }
        }
        let here = channel.packages.keys.filter { state[$0].isHere }
        let chosen = packages.isEmpty ? here.isEmpty ? Array(channel.packages.keys) : here : packages
        return chosen.sorted().map { package in
            var notes = notes(state[package], of: package)
            if channel.packages[package] == nil, ChannelReader.isCachedInPart(self.channel, store.layout) {
                notes.append(RolloutExplanation.unread)
            }
            if let kept = kept(package, in: channel, state[package], facts) {
                notes.append("\(kept) stays while a group that its release asks for cannot be read")
            }
            return RolloutExplanation(
                package, in: channel, for: facts, refusals: refusals, taking: taking(state[package]), notes: notes,
                wait: state[package].delay.map { .known($0) } ?? .nothing)
        }
    }

    private func taking(_ state: PackageState) -> RolloutExplanation.Taking {
        var installed = Set([state.active?.id].compactMap(\.self))
        if case .version(let staged) = state.staged { installed.insert(staged.id) }
        return RolloutExplanation.Taking(
            running: state.active?.id.version,
            time: LocalTime(configuration.now(), in: configuration.timeZone()), installed: installed)
    }

    private func kept(
        _ package: PackageID, in channel: ChannelFile, _ state: PackageState, _ facts: DeviceFacts
    ) -> VersionID? {
        let decision = RolloutDecision(
            app: channel.app, package: package, releases: channel.packages[package]?.releases ?? [], device: facts)
        return PackageDecision.releaseKept(decision, app: channel.app, package, state, facts)?.id
    }

    private func notes(_ state: PackageState, of package: PackageID) -> [String] {
        var notes: [String] = []
        if let active = state.active {
            notes.append("\(active.id) is active\(active.isConfirmed ? "" : ", and not confirmed yet")")
        }
        switch state.staged {
        case .version(let installed): notes.append("\(installed.id) is staged, and active from the next start on")
        case .nothing: notes.append("the way back to what the app embeds is staged")
        case nil: break
        }
        return notes
    }
}
