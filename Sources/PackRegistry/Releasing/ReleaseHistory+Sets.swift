package import Foundation
package import PackFormat

/// What a package's history says of the sets that it has releases of.
extension ReleaseHistory {
    /// The package's release of a set, where it is still offered or only hidden.
    package func entry(of set: String) -> Entry? { entries.last { !$0.isRemoved && $0.release.set == set } }

    /// A release that is not taken back.
    func release(_ id: String) -> Release? { entries.last { !$0.isRemoved && $0.release.id == id }?.release }

    /// What everyone was offered at a moment.
    package func full(before time: Date, otherThan offer: Release.Offer? = nil) -> Release? {
        entries.last {
            !$0.isRemoved && $0.created < time && $0.release.rollout.reachesEveryone && $0.release.offer != offer
        }?.release
    }

    /// When the release after the last one of an offer was made; nil where there is none of either.
    package func end(of offer: Release.Offer) -> Date? {
        guard let index = entries.lastIndex(where: { !$0.isRemoved && $0.release.offer == offer }) else { return nil }
        return entries[index...].dropFirst().first { !$0.isRemoved }?.created
    }

    /// The newest release, if it is the way back over a release of a set.
    package var wayBackOverSet: (set: String, way: Entry)? {
        wayBack { $0.set != nil }.flatMap { left, way in left.release.set.map { ($0, way) } }
    }

    /// The package's release of a set, if it was taken back at a moment.
    package func entry(of set: String, removedAt moment: Date) -> Entry? {
        entries.last { $0.removed == moment && $0.release.set == set }
    }

    /// The package's part in a change of another release of its set.
    package func following(_ release: Release) throws -> [Step] {
        guard let set = release.set, let own = entry(of: set)?.release else { return [] }
        let changed = try own.with(rollout: release.rollout, policy: release.policy, retry: release.retry)
        return changed == own ? [] : [.update(changed)]
    }

    /// Takes the package's release of a set, and what lies between it and an earlier one, out beneath a newer release that
    /// took the package out of the set.
    /// - Parameter place: what everybody had before; nil for what the app embeds.
    /// - Returns: nil where the newest release offers what the set does, and where devices that the newer releases do not
    ///   admit would find nothing beneath them: the package goes back with its set then.
    package func leaving(_ set: String, to place: Release?) -> [Step]? {
        guard let index = entries.lastIndex(where: { !$0.isRemoved && $0.release.set == set }),
            let newest = current, newest.offer != entries[index].release.offer
        else { return nil }
        let floor = place.flatMap { place in entries.firstIndex { $0.release.id == place.id } }
        let steps = entries.indices.filter { other in
            !entries[other].isRemoved && other > floor ?? -1
                && (other <= index || entries[other].release.offer == entries[index].release.offer)
        }.map { Step.remove(entries[$0].release.id) }
        let left = applying(steps, by: "", now: .distantFuture).offered
        return left.first { !$0.rollout.reachesNobody } == newest && left.contains(where: \.rollout.reachesEveryone)
            ? steps : nil
    }

    /// Takes the package's releases of sets that were taken back.
    package func removing(sets: Set<String>) -> [Step] {
        entries.compactMap { entry in
            guard !entry.isRemoved, let set = entry.release.set, sets.contains(set) else { return nil }
            return .remove(entry.release.id)
        }
    }

    /// The ids of the releases that some steps remove.
    static func removed(by steps: [Step]) -> Set<String> {
        Set(steps.compactMap { step in if case .remove(let id) = step { id } else { nil } })
    }

    /// The newest release of a set that some steps remove.
    package func ofSet(removedBy steps: [Step]) -> Release? {
        let (removed, left) = (Self.removed(by: steps), sets(removedBy: steps))
        return entries.last { removed.contains($0.release.id) && $0.release.set.map(left.contains) ?? false }?.release
    }

    /// The sets whose releases some steps remove, without those of which they add another.
    package func sets(removedBy steps: [Step]) -> Set<String> {
        let removed = Self.removed(by: steps)
        let added = steps.compactMap { step in if case .add(let release) = step { release.set } else { nil } }
        return Set(entries.compactMap { removed.contains($0.release.id) ? $0.release.set : nil }).subtracting(added)
    }
}
