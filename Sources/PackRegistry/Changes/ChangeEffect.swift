import PackFormat
import PackJSON
import PackRegistryAPI

/// What a change does, computed from what its rule would record. Two moments at which it is equal are moments at which the
/// change does the same to devices.
struct ChangeEffect: Hashable {
    /// With full digests, without what differs each time, such as ids and times.
    private(set) var pins: [String] = []
    /// A line for each package, for people.
    private(set) var lines: [String] = []

    /// - Parameters:
    ///   - text: what the rule says that it does; nil if it says nothing.
    ///   - release: the release that a rollout's rule decided on.
    ///   - planNotes: what follows for plans. Where a plan is moves with the clock, so two moments do not differ by it.
    ///   - changes: what the rule would record.
    ///   - facts: what it was decided by.
    init(
        of proposal: ChangeProposal, _ text: String?, release: String? = nil, planNotes: [String] = [],
        _ changes: ChangeSet,
        _ facts: RegistryFacts
    ) {
        let isPlan = proposal.action.isPlan
        for releases in changes.releases.sorted(by: { $0.package < $1.package }) {
            let history = facts.history(of: releases.package, on: releases.channel)
            pins.append("\(releases.package) has \(Self.text(history.offered.first?.offer))")
            for step in releases.steps {
                // Whether a plan's first step is due already depends on the clock.
                if isPlan, case .update = step { continue }
                pins.append("\(releases.package) \(Self.text(step, history))")
            }
            let after = history.applying(releases.steps, by: changes.actor.name, now: changes.time)
            lines.append(
                "\(releases.package) on \(releases.channel): \(ReleaseHistory.details(after.offered)) in place of "
                    + ReleaseHistory.details(history.offered))
        }
        // Who approves a release for a group approves it for the devices of that group.
        let groups = Set(changes.releases.flatMap(\.steps).compactMap(\.offered).flatMap(\.rollout.groups))
        pins += groups.sorted().map { Self.text(group: $0, facts.channelFiles[proposal.channel]) }
        for note in changes.rolloutNotes {
            switch note.kind {
            case .plan(let plan): pins.append("plan \(JSONValue.object(plan.json).compactText)")
            case .action(let action, _) where !isPlan: pins.append("rollout \(action.rawValue)")
            case .action, .share, .remove: break
            }
        }
        var halt = ""
        switch proposal.action {
        case .setting(let setting):
            pins.append(Self.text(setting, facts.channelFiles[proposal.channel]))
            lines = SettingEffect.lines(setting, on: proposal.channel, facts.channelFiles[proposal.channel])
        case .approvals: pins.append("approvals \(facts.requiredApprovals[proposal.channel] ?? 0)")
        case .rollout(let request, let package):
            // A word may leave the releases as they are.
            let history = facts.histories[proposal.channel] ?? ReleaseHistory()
            pins.append("\(package) offers \(Self.text(history.offered.first?.offer))")
            // Who approved going on did not approve going on after a halt.
            let planned = facts.rollouts.first { $0.release == release }
            if request.verb.goesOn, let state = planned.flatMap({ RolloutState($0.events) }), state.state == .halted {
                pins.append("\(package) is halted")
                // A plan's rule says it.
                if !isPlan { halt = "; it is halted (\(state.cause))" }
            }
        case .release, .set: break
        }
        if let text { lines = [text + halt] }
        lines += planNotes
        if lines.isEmpty { lines = ["\(proposal.channel): \(proposal.action.summary)"] }
    }

    private static func text(_ offer: Release.Offer?) -> String {
        switch offer {
        case .version(let version, let manifest): "\(version) \(manifest.hex)"
        case .embedded: "embedded"
        case nil: "nothing"
        }
    }

    private static func text(_ step: ReleaseHistory.Step, _ history: ReleaseHistory) -> String {
        func old(_ id: String) -> String {
            history.entries.first { $0.release.id == id }.map { text($0.release) } ?? "nothing"
        }
        return switch step {
        case .add(let release): "add \(text(release))"
        case .update(let release): "update \(old(release.id)) to \(text(release))"
        case .remove(let id): "remove \(old(id))"
        }
    }

    /// A release without its ids.
    private static func text(_ release: Release) -> String {
        var json = release.json
        json["id"] = nil
        if release.set != nil { json["set"] = true }
        return JSONValue.object(json).compactText
    }

    /// What a setting is before it is changed.
    private static func text(_ setting: ChannelSetting, _ file: ChannelFile?) -> String {
        switch setting {
        case .gate(let package, _): "gate \(package) \(file?.packages[package]?.isEnabled ?? true)"
        case .poll: "poll \(file?.poll.map { "\($0.seconds) \($0.jitter)" } ?? "none")"
        case .rules: "rules \(file?.rules.map { JSONValue.object($0.json).compactText } ?? "none")"
        // Also which releases are for it: by them it does something to devices.
        case .group(let group):
            text(group: group.name, file)
                + (file?.releases(for: group.name) ?? []).map { ", for \($0) \(text($1))" }.joined()
        case .removeGroup(let name): text(group: name, file)
        }
    }

    private static func text(group name: String, _ file: ChannelFile?) -> String {
        "group \(name) \(file?.groups[name]?.digest.hex ?? "none")"
    }
}

extension RolloutRequest.Verb {
    /// Whether steps are taken after it that a halt had stopped.
    fileprivate var goesOn: Bool {
        switch self {
        case .plan, .resume: true
        case .start, .pause, .advance, .halt, .complete, .rollBack, .retry: false
        }
    }
}

extension ProposedAction {
    fileprivate var isPlan: Bool {
        if case .rollout(let request, _) = self, case .plan = request.verb { true } else { false }
    }
}
