import PackFormat
import PackRegistryAPI

/// Keeps a release whose rollout somebody or a gate halted from more devices, until somebody goes on with it.
///
/// A plan's own steps, `advance` and `complete` stop at a halt by the rule of the rollout. This is for whoever changes the share or
/// offers the version again, such as a CI job that runs a second time.
enum HaltGuard {
    /// - Parameter steps: of each package that changes. A smaller share and the way back are always allowed.
    /// - Throws: ``RegistryError`` of the kind `.conflict`, with who halted it and why.
    static func require(
        _ steps: [PackageID: [ReleaseHistory.Step]], on channel: ChannelName, _ facts: RegistryFacts
    ) throws(RegistryError) {
        for planned in facts.rollouts where planned.channel == channel {
            guard let own = steps[planned.package], let state = RolloutState(planned.events), state.state == .halted
            else { continue }
            let history = facts.history(of: planned.package, on: channel)
            guard let old = history.release(planned.release) else { continue }
            for new in own.compactMap(\.offered) where new.offer == old.offer {
                guard gains(new, history.release(new.id) ?? old) else { continue }
                throw planned.refusal(
                    halted: state, "be for \(new.rollout.devicesText) in place of \(old.rollout.text)", then: "that")
            }
        }
    }

    /// A halted release that is for a group gets no devices by the group either. Which devices come into it and which leave it nobody
    /// knows here: each change has hashes of its own.
    /// - Throws: ``RegistryError`` of the kind `.conflict`, as ``require(_:on:_:)``.
    static func require(_ group: DeviceGroup, in file: ChannelFile, _ facts: RegistryFacts) throws(RegistryError) {
        for (package, release) in file.releases(for: group.name) {
            let planned = facts.rollouts.first { $0.package == package && $0.release == release.id }
            guard let planned, let state = RolloutState(planned.events), state.state == .halted else { continue }
            throw planned.refusal(
                halted: state, "get devices by the group \"\(group.name)\", which it is for", then: "the group")
        }
    }

    /// A plan of another release that offers what is halted, of whichever package of a set, would take it to more devices.
    /// - Throws: ``RegistryError`` of the kind `.conflict`, as ``require(_:on:_:)``.
    static func require(
        planned subject: Release, of package: PackageID, on channel: ChannelName, _ facts: RegistryFacts
    ) throws(RegistryError) {
        var offers = [package: subject.offer]
        for (other, history) in facts.companions[channel] ?? [:] where other != package {
            offers[other] = subject.set.flatMap { history.entry(of: $0)?.release.offer }
        }
        for planned in facts.rollouts where planned.channel == channel && planned.release != subject.id {
            guard let offer = offers[planned.package],
                facts.history(of: planned.package, on: channel).release(planned.release)?.offer == offer,
                !planned.set.contains(where: { $0.release == subject.id }),
                let state = RolloutState(planned.events), state.state == .halted
            else { continue }
            throw planned.refusal(halted: state, "be offered by another plan", then: "that plan")
        }
    }

    /// Whether it may be for devices that did not have it.
    private static func gains(_ new: Release, _ old: Release) -> Bool {
        // A release with another id is for other devices, at whatever share.
        guard new.id == old.id else { return !new.rollout.reachesNobody }
        return gains(new.rollout, old.rollout)
    }

    private static func gains(_ new: Rollout, _ old: Rollout) -> Bool {
        new.share > old.share
            || (new.share > .none && new.audiences != old.audiences && !isPart(new.audiences, of: old.audiences))
    }

    /// Whether each new audience asks for all that an old one asks for: then no other device is in it.
    private static func isPart(_ new: [Audience], of old: [Audience]) -> Bool {
        old.isEmpty
            || !new.isEmpty
                && new.allSatisfy { audience in
                    old.contains { $0.conditions.allSatisfy(audience.conditions.contains) }
                }
    }
}
