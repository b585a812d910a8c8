package import Foundation
package import PackFormat
import PackRegistryAPI

/// The releases that one channel offers and has offered for one package, and the rules for changing them. No I/O.
///
/// Releases are only ever added to the offer or removed from it. The list that devices see is derived, so lowering
/// the newest release's percentage shows again what it had hidden.
package struct ReleaseHistory: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var release: Release
        /// The time at which it was made, and its maker.
        package var created: Date
        package var createdBy: String
        /// The time since which it is no longer offered, because of a rollback or a withdrawal.
        package var removed: Date?
        /// What the version's pages store, and can read; nil if it does not say.
        package var state: Manifest.State?
        /// Whether it was ever for anybody: a share that was lowered to nothing may be on devices still.
        package var hasReachedDevices: Bool

        package init(
            release: Release, created: Date = .distantPast, createdBy: String = "", removed: Date? = nil,
            state: Manifest.State? = nil, hasReachedDevices: Bool = false
        ) {
            self.hasReachedDevices = hasReachedDevices || !release.rollout.reachesNobody
            self.release = release
            self.created = created
            self.createdBy = createdBy
            self.removed = removed
            self.state = state
        }

        package var isRemoved: Bool { removed != nil }
    }

    /// Who rolled a channel back from a version.
    package struct Rollback: Hashable, Sendable {
        package let by: String
        package let at: Date
        package let to: Release.Offer
    }

    /// The entries, oldest first.
    package private(set) var entries: [Entry]

    package init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// A change to record.
    package enum Step: Hashable, Sendable {
        case add(Release)
        case update(Release)
        case remove(String)

        /// The release as it is after the step; nil if it is taken back.
        var offered: Release? {
            switch self {
            case .add(let release), .update(let release): release
            case .remove: nil
            }
        }
    }

    /// The releases that devices see, newest first. It leaves out releases that no device can get, because a newer
    /// one is for everyone.
    package var offered: [Release] {
        var offered: [Release] = []
        for entry in entries.reversed() where !entry.isRemoved {
            let isHidden = offered.contains {
                $0.hidesEarlier
                    && ($0.requiredApp == nil || $0.requiredApp == entry.release.requiredApp)
            }
            if !isHidden { offered.append(entry.release) }
        }
        return offered
    }

    /// The newest release that any device gets: one that is prepared at 0 % does not count. The newest of all where there is none.
    package var current: Release? { offered.first { !$0.rollout.reachesNobody } ?? offered.first }

    /// Mandatory releases that ``offered`` hides, newest first. The oldest of many are left out: who runs a version below them
    /// skips the newer ones as well.
    package var skippedMandatory: [Release] {
        let shown = Set(offered.map(\.id))
        let hidden = entries.reversed().lazy.filter {
            !$0.isRemoved && $0.release.policy.isMandatory && !shown.contains($0.release.id)
        }
        return hidden.prefix(Self.maximumSkippedCount).map(\.release)
    }

    private static let maximumSkippedCount = 16

    /// The newest release that everyone gets.
    package var newestFull: Release? { offered.first { $0.rollout.reachesEveryone } }

    /// The newest release for everyone that ``offered`` hides. Devices go to it when the offered one is removed.
    package var hidden: Release? {
        let shown = Set(offered.map(\.id))
        return entries.last {
            !$0.isRemoved && $0.release.rollout.reachesEveryone && !shown.contains($0.release.id)
                && $0.release.offer != newestFull?.offer
        }?.release
    }

    /// The newest release before the present one that offered something else to everyone and was not removed. A trial
    /// on a few devices is not a version to go back to.
    package var earlier: Release? {
        guard let current else { return nil }
        return entries.reversed().first {
            !$0.isRemoved && $0.release.offer != current.offer && $0.release.rollout.reachesEveryone
        }?.release
    }

    /// The versions that were offered recently and are no longer the newest, newest first: devices may have them.
    package func recentManifests(limit: Int) -> [Digest] {
        var seen: [Digest] = []
        for entry in entries.reversed() {
            guard case .version(_, let manifest) = entry.release.offer, !seen.contains(manifest) else { continue }
            seen.append(manifest)
            if seen.count == limit { break }
        }
        return seen
    }

    /// Offers something as the newest release. If the newest release offers the same, it keeps its id, and its share
    /// is never lowered: publishing twice must not take a version from devices that have it.
    /// - Parameter rollout: nil leaves the share of a release that is there as it is; a new one is for everyone.
    /// - Parameter policy: nil leaves that of a release that is there as it is; a new one has none.
    package func offering(
        _ offer: Release.Offer, _ rollout: Rollout?, _ policy: ClientPolicy?, requiredApp: VersionRange?, id: String
    ) throws -> [Step] {
        if let newest = offered.first, newest.offer == offer {
            let changed = try policy.map { try newest.with(policy: $0) } ?? newest
            let steps: [Step] = changed == newest ? [] : [.update(changed)]
            guard let rollout else { return steps }
            guard rollout.audiences.isEmpty || rollout.audiences == newest.rollout.audiences else {
                throw RegistryError(
                    .conflict,
                    "this version is offered to \(newest.rollout.text) already: packtool rollout changes the audience of a "
                        + "release")
            }
            guard rollout.share > newest.rollout.share else { return steps }
            return [
                .update(
                    try changed.with(rollout: Rollout(share: rollout.share, audiences: newest.rollout.audiences)))
            ]
        }
        return [
            .add(
                try Release(
                    id: id, offer: offer, rollout: rollout ?? .everyone, policy: policy ?? .standard,
                    requiredApp: requiredApp))
        ]
    }

    /// The release that a change of a share or a retry is about: the one that offers the version, otherwise the
    /// newest.
    ///
    /// Without a version, the newest release must be the one that the caller means: a release that a rollback or a
    /// withdrawal has left is not.
    package func subject(_ version: SemanticVersion?, of package: PackageID, on channel: ChannelName) throws -> Release
    {
        guard let newest = offered.first else {
            throw RegistryError(
                .notFound,
                "\(channel) offers nothing of \(package) now: publish or promote a version first")
        }
        if let version {
            guard let named = offered.first(where: { $0.version == version }) else {
                throw RegistryError(
                    .notFound, "\(channel) does not offer \(package) \(version); it offers \(Self.list(offered))")
            }
            return named
        }
        guard newest.offer != .embedded else {
            throw RegistryError(
                .conflict,
                "the newest release of \(package) on \(channel) is the way back to what the app embeds: name the one that "
                    + "you mean (\(package)@VERSION; there is \(Self.list(offered))), or publish a version")
        }
        if let index = entries.lastIndex(where: { $0.release.id == newest.id }),
            let gone = entries[index...].last(where: \.isRemoved)?.release.version
        {
            throw RegistryError(
                .conflict,
                "\(package) \(gone) was taken back, and the newest release on \(channel) is \(Self.list([newest])) now: "
                    + "if you mean that, name it (\(package)@\(newest.version?.description ?? "VERSION"))")
        }
        return newest
    }

    /// `1.1.0 (10 %), 1.0.0`.
    package static func list(_ releases: [Release]) -> String {
        releases.isEmpty
            ? "nothing"
            : releases.map { release in
                let name = name(release.offer)
                return release.rollout.reachesEveryone ? name : "\(name) (\(release.rollout.text))"
            }.joined(separator: ", ")
    }

    package static func name(_ offer: Release.Offer) -> String {
        if case .version(let version, _) = offer { version.description } else { "embedded" }
    }

    package func setting(_ rollout: Rollout, _ policy: ClientPolicy?, of release: Release) throws -> [Step] {
        let changed = try release.with(rollout: rollout, policy: policy)
        return changed == release ? [] : [.update(changed)]
    }

    package func retrying(_ release: Release) throws -> [Step] {
        [.update(try release.with(retry: release.retry + 1))]
    }

    /// Offers an older version, or what the app embeds, to everyone under a new id, and removes what came after it.
    package func rollingBack(
        to offer: Release.Offer, requiredApp: VersionRange?, id: String, set: String? = nil
    ) throws -> [Step] {
        if let newest = offered.first, newest.offer == offer, newest.rollout.reachesEveryone { return [] }
        let kept = entries.lastIndex { !$0.isRemoved && $0.release.offer == offer }
        let present = entries.indices.filter { !entries[$0].isRemoved }
        let removed: [Int] =
            if let kept {
                present.filter { $0 > kept }
            } else if offer == .embedded {
                // It was there before all of them.
                present
            } else {
                // What the app embeds stays beneath: nobody has to be taken from it.
                present.suffix(1).filter { entries[$0].release.offer != .embedded }
            }
        // What leads back to a release of a set takes its place in the set: the others of it change and go with it.
        let known = kept.map { entries[$0].release }
        let taken = set == nil && known?.rollout.reachesEveryone == true && known?.set != nil ? known : nil
        let way = try Release(
            id: id, offer: offer, rollout: .everyone, requiredApp: requiredApp, set: set ?? taken?.set)
        let steps =
            removed.map { Step.remove(entries[$0].release.id) } + (taken.map { [.remove($0.id)] } ?? []) + [.add(way)]
        // A set that the way back hides is left too, and so is what some devices have: both are what the rollback is about.
        let left = Set(applying(steps, by: "", now: .distantFuture).offered.map(\.id)).union(Self.removed(by: steps))
        let hidden = offered.filter { release in
            release.offer != offer && !left.contains(release.id)
                && (release.set != nil || !release.rollout.reachesEveryone)
        }
        return hidden.map { .remove($0.id) } + steps
    }

    package func withdrawing(_ manifest: Digest) -> [Step] {
        entries.compactMap { entry in
            guard !entry.isRemoved, case .version(_, manifest) = entry.release.offer else { return nil }
            return .remove(entry.release.id)
        }
    }

    /// - Parameter state: what a version that is added says of its data.
    package func applying(
        _ steps: [Step], by actor: String, now: Date, state: (Release.Offer) -> Manifest.State? = { _ in nil }
    ) -> ReleaseHistory {
        var result = self
        for step in steps {
            switch step {
            case .add(let release):
                result.entries.append(
                    Entry(release: release, created: now, createdBy: actor, state: state(release.offer)))
            case .update(let release):
                for index in result.entries.indices where result.entries[index].release.id == release.id {
                    result.entries[index].release = release
                    if !release.rollout.reachesNobody { result.entries[index].hasReachedDevices = true }
                }
            case .remove(let id):
                for index in result.entries.indices where result.entries[index].release.id == id {
                    result.entries[index].removed = result.entries[index].removed ?? now
                }
            }
        }
        return result
    }
}
