import Foundation
import PackFormat
import PackRegistryAPI

/// What a request about a rollout says, and what it refuses.
extension RolloutDraft {
    /// The plan that the release has already, whose place a new one takes.
    func replacedText(of subject: Release) -> String {
        guard !movesPlan, let status = planned(of: subject.id)?.status(now: now) else { return "" }
        return "; it takes the place of the plan that was \(status.state.rawValue), \(status.place)"
    }

    /// A plan begins anew, so whoever gives one has to go on with a halted release first. Where nobody can, the halt is said.
    /// - Throws: ``RegistryError`` of the kind `.conflict`, with who halted it and why.
    func haltText(of subject: Release) throws(RegistryError) -> String {
        guard let planned = planned(of: subject.id), let state = RolloutState(planned.events), state.state == .halted
        else { return "" }
        guard movesPlan || state.plan.end.map({ $0 <= now }) ?? false else {
            throw planned.refusal(halted: state, "take a new plan", then: "the plan")
        }
        return "; it is halted (\(state.cause))"
    }

    /// What another audience means for the devices that may have the release already: it can take them back.
    func audienceText(of subject: Release, to wanted: Rollout, _ plan: RolloutPlan) -> String {
        guard !subject.rollout.reachesNobody else { return "" }
        let count = plan.deviceCount(subject.rollout.share).map { ", at most about \($0)," } ?? ""
        var text = "; until now it was for \(subject.rollout.devicesText), from now on for \(wanted.devicesText)"
        if !wanted.audiences.isEmpty {
            let left = history.applying([.remove(subject.id)], by: actor, now: now).offered
            text +=
                ": devices that have it and are not of that audience\(count) leave it with their next check and "
                + (ReleaseMoves.place(left).map { "go back to \($0)" }
                    ?? "keep the version that they run, because no other release is left")
        }
        return text
    }

    /// The others of the release's set, about which it is as well.
    func setText(of release: Release?) -> String {
        let others = members(of: release?.set).filter { $0.package != package }.map {
            "\($0.package) \($0.version?.description ?? "embedded")"
        }
        return others.isEmpty ? "" : "; the same holds for its set: \(others.joined(separator: ", "))"
    }

    /// The releases of a set that are not taken back; none for a set of one, and for no set.
    func members(of set: String?) -> [PlannedRelease.Member] {
        guard let set else { return [] }
        let found = companions.merging([package: history]) { $1 }.compactMap { name, history in
            history.entry(of: set).map {
                PlannedRelease.Member(package: name, release: $0.release.id, version: $0.release.version)
            }
        }
        return found.count > 1 ? found.sorted { $0.package < $1.package } : []
    }

    /// A command that stops a rollout and names no version is about what devices get now.
    /// - Throws: ``RegistryError`` of the kind `.conflict` if that has no plan.
    func refuseUnplanned(_ planned: PlannedRelease, _ verb: RolloutRequest.Verb) throws(RegistryError) {
        let order = history.entries.map(\.release.id)
        guard verb == .halt || verb == .pause || verb == .rollBack,
            let newest = history.current, !newest.rollout.reachesNobody,
            let (last, own) = order.firstIndex(of: newest.id).flatMap({ last in
                order.firstIndex(of: planned.release).map { (last, $0) }
            }), last > own,
            // After a rollback devices get what it led to: the plan was taken back, which the answer says.
            history.wayBack?.way.release.id != newest.id
        else { return }
        let (name, plan) = (
            ReleaseHistory.name(newest.offer), "\(package)@\(planned.version?.description ?? "embedded")"
        )
        let back =
            newest.version.map { " (packtool rollout \(package)@\($0) --channel \(channel) --percent 0 takes it back)" }
            ?? ""
        throw RegistryError(
            .conflict,
            "\(channel) offers \(package) \(name) now, which has no plan\(back). The last plan is that of \(plan): name it if you "
                + "mean that one (packtool rollout \(verb.name) \(plan) --channel \(channel))")
    }

    /// A plan that devices get nothing of yet, above one by which they get more: a command that stops a rollout and names no version
    /// could mean either.
    /// - Throws: ``RegistryError`` of the kind `.conflict` that names both.
    func refuseAmbiguous(
        _ planned: PlannedRelease, _ state: RolloutState, _ verb: RolloutRequest.Verb
    ) throws(RegistryError) {
        guard verb == .halt || verb == .pause, state.share == .none else { return }
        let offered = Set(history.offered.map(\.id))
        let other = facts.rollouts.last { other in
            other.package == package && other.release != planned.release && offered.contains(other.release)
                && other.isUnderWay
                && RolloutState(other.events).map { $0.share > .none && $0.isActive } ?? false
        }
        guard let other, let theirs = RolloutState(other.events) else { return }
        func name(_ planned: PlannedRelease) -> String {
            "\(package)@\(planned.version?.description ?? "embedded")"
        }
        throw RegistryError(
            .conflict,
            "\(package) has two plans on \(channel): devices get nothing by that of \(name(planned)) yet, and "
                + "\(theirs.share) of them by that of \(name(other)), which is \(theirs.state.rawValue). Name the one that you mean: "
                + "packtool rollout \(verb.name) \(name(other)) --channel \(channel), or \(name(planned))")
    }

    /// What a rollback takes back besides the newest release: who has it leaves it too.
    func beneathText(_ newest: Release) -> String {
        var parts: [String] = []
        for (name, steps) in allSteps.sorted(by: { $0.key < $1.key }) {
            let history = facts.history(of: name, on: channel)
            let removed = ReleaseHistory.removed(by: steps)
            // A release that is offered again, alone or in another set, is left by nobody.
            let destination = history.applying(steps, by: actor, now: now).offered.first(
                where: \.rollout.reachesEveryone)
            for release in history.offered
            where removed.contains(release.id) && release.id != newest.id && release.offer != destination?.offer
                && (release.set == nil || release.set != newest.set)
            {
                guard !release.rollout.reachesNobody else {
                    if planned(of: release.id)?.isUnderWay ?? false {
                        parts.append("nobody gets \(name) \(ReleaseHistory.name(release.offer)), which has a plan")
                    }
                    continue
                }
                let plan = planned(of: release.id).flatMap { RolloutState($0.events)?.plan }
                let count =
                    plan?.deviceCount(release.rollout.share).map { ", about \(CountText.text($0, "device"))," } ?? ""
                parts.append(
                    "\(release.rollout.devicesText)\(count) leave \(name) \(ReleaseHistory.name(release.offer))")
            }
        }
        guard !parts.isEmpty else { return "" }
        let only =
            newest.version.map {
                ". To take only \(package) \($0) back: packtool rollout \(package)@\($0) --channel \(channel) --percent 0"
            } ?? ""
        return "; not only the newest is taken back: \(parts.joined(separator: ", and "))\(only)"
    }

    func noPlan(_ version: SemanticVersion?, _ verb: RolloutRequest.Verb) -> RegistryError {
        let name = "\(package)\(version.map { " \($0)" } ?? "")"
        guard !history.entries.isEmpty else {
            let packages = facts.packageNames.map(\.text).joined(separator: ", ")
            return RegistryError(
                .notFound,
                "\(channel) never offered anything of \(package)"
                    + (packages.isEmpty ? "" : " (it has: \(packages.prefix(500)))"))
        }
        return RegistryError(
            .notFound,
            "no release of \(name) on \(channel) has a plan: give it one with packtool rollout \(package) --plan FILE "
                + "--channel \(channel)"
                + (version == nil && (verb == .halt || verb == .pause)
                    ? ", or take the newest release back with packtool rollback \(package) --channel \(channel)" : ""))
    }
}
