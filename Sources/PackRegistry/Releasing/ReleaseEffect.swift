package import Foundation
package import PackFormat

/// What a change does to the devices of a channel, in a sentence for each package, with shares.
package struct ReleaseEffect: Sendable {
    private let channel: ChannelName
    private let before: [PackageID: ReleaseHistory]
    private let steps: [PackageID: [ReleaseHistory.Step]]
    private let actor: String
    private let now: Date

    /// - Parameters:
    ///   - before: the histories of the packages.
    ///   - steps: of each package that changes.
    package init(
        on channel: ChannelName, before: [PackageID: ReleaseHistory], steps: [PackageID: [ReleaseHistory.Step]],
        by actor: String, now: Date
    ) {
        self.channel = channel
        self.before = before
        self.steps = steps
        self.actor = actor
        self.now = now
    }

    /// Such as `beta: 10 % of the devices get shop 1.3.0 in place of 1.2.0; the others keep 1.2.0`. Empty if nothing changes.
    package var text: String {
        let changed = steps.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        guard !changed.isEmpty else { return "" }
        let sentences = changed.map { sentence($0.key, $0.value) }.filter { !$0.isEmpty }
        return "\(channel): "
            + (sentences.isEmpty ? "every device keeps what it gets" : sentences.joined(separator: "; "))
    }

    private func sentence(_ package: PackageID, _ steps: [ReleaseHistory.Step]) -> String {
        let history = before[package] ?? ReleaseHistory()
        let old = history.offered
        let new = history.applying(steps, by: actor, now: now).offered
        var parts: [String] = []
        for case .add(let release) in steps { parts.append(added(release, package, old, new)) }
        for case .update(let release) in steps {
            guard let known = history.entries.last(where: { $0.release.id == release.id })?.release else { continue }
            parts.append(updated(known, to: release, package, new))
        }
        let added = steps.compactMap { if case .add(let release) = $0 { release.offer } else { nil } }
        for case .remove(let id) in steps {
            // A way back to what lies beneath is a release of its own.
            guard let index = old.firstIndex(where: { $0.id == id }), !added.contains(old[index].offer) else {
                continue
            }
            // Devices that run a newer release keep it.
            let below = new.filter { release in old[..<index].allSatisfy { $0.id != release.id } }
            parts.append(
                "\(old[index].rollout.devicesText) leave \(package) \(ReleaseHistory.name(old[index].offer))"
                    + (!added.isEmpty ? "" : " and \(Self.fallback(below))"))
        }
        if let newest = new.first, newest.id == old.first?.id, let gone = history.ofSet(removedBy: steps) {
            parts.append(
                "\(package) keeps \(ReleaseMoves.destination(newest)), which is newer than the set: its "
                    + "\(ReleaseHistory.name(gone.offer)) of the set is taken back beneath it")
        }
        return parts.joined(separator: ", and ")
    }

    private func added(_ release: Release, _ package: PackageID, _ old: [Release], _ new: [Release]) -> String {
        var text = "\(release.rollout.devicesText) get \(package) \(ReleaseHistory.name(release.offer))"
        if release.policy != .standard { text += " (\(release.policy.text))" }
        if !old.isEmpty { text += " in place of \(ReleaseHistory.list(old))" }
        guard !release.hidesEarlier || release.requiredApp != nil else { return text }
        let others = new.filter { $0.id != release.id }
        if let app = release.requiredApp { text += ", if their app meets \(app)" }
        return text + ", and the others \(others.isEmpty ? "get nothing" : "keep \(ReleaseHistory.list(others))")"
    }

    private func updated(_ old: Release, to new: Release, _ package: PackageID, _ offered: [Release]) -> String {
        let name = "\(package) \(ReleaseHistory.name(new.offer))"
        var parts: [String] = []
        if old.rollout != new.rollout {
            parts.append("\(new.rollout.devicesText) in place of \(old.rollout.text) get \(name)")
            let isNarrower = new.rollout.audiences != old.rollout.audiences && !new.rollout.audiences.isEmpty
            if !old.rollout.reachesNobody, isNarrower || new.rollout.share < old.rollout.share {
                let below = Array(offered.drop { $0.id != new.id }.dropFirst())
                parts.append(
                    "devices that are not among them any more leave it and \(Self.fallback(below))")
            }
        }
        if old.policy != new.policy {
            parts.append(
                "\(new.rollout.devicesText) take \(name) "
                    + (new.policy == .standard ? "without a policy" : "so: \(new.policy.text)"))
        }
        if old.retry != new.retry { parts.append("devices on which \(name) failed try it once more") }
        return parts.joined(separator: "; ")
    }

    /// What devices do that leave a release.
    private static func fallback(_ releases: [Release]) -> String {
        ReleaseMoves.place(releases).map { "go to \($0)" }
            ?? "keep the version that they run, because no other release is left"
    }
}
