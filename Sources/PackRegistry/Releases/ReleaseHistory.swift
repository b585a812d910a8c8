import Foundation
import PackFormat

/// What one channel offers and offered for one package, and the rules by which that changes. No I/O.
///
/// Releases are only ever added or removed from the offer; the list that devices see is derived, so lowering the
/// newest release's percentage brings back what it had hidden.
struct ReleaseHistory: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var release: Release
        /// No longer offered: rolled back over, or withdrawn.
        var isRemoved = false
    }

    /// Oldest first.
    private(set) var entries: [Entry]

    init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// A change that is to be recorded.
    enum Step: Hashable, Sendable {
        case add(Release)
        case update(Release)
        case remove(String)
    }

    /// What devices see, newest first: no release that none can reach, because a newer one is for everyone.
    var offered: [Release] {
        var offered: [Release] = []
        for entry in entries.reversed() where !entry.isRemoved {
            let isHidden = offered.contains {
                $0.rollout.percent == 100
                    && ($0.requiredApp == nil || $0.requiredApp == entry.release.requiredApp)
            }
            if !isHidden { offered.append(entry.release) }
        }
        return offered
    }

    /// The newest release that everyone gets, as `packtool promote` takes it.
    var newestFull: Release? { offered.first { $0.rollout.percent == 100 } }

    /// The newest release before the present one that offered something else to everyone, and was not removed: a trial
    /// on a few devices is nothing to go back to.
    var earlier: Release? {
        guard let current = offered.first else { return nil }
        return entries.reversed().first {
            !$0.isRemoved && $0.release.offer != current.offer && $0.release.rollout == .everyone
        }?.release
    }

    /// Versions that were offered lately and are no longer the newest, newest first: devices may have them.
    func recentManifests(limit: Int) -> [Digest] {
        var seen: [Digest] = []
        for entry in entries.reversed() {
            guard case .version(_, let manifest) = entry.release.offer, !seen.contains(manifest) else { continue }
            seen.append(manifest)
            if seen.count == limit { break }
        }
        return seen
    }

    /// Offers something as the newest release. The newest release is kept, with its id, where it offers the same, and
    /// its share is never lowered: publishing twice must not take a version from devices that have it.
    func offering(
        _ offer: Release.Offer, _ rollout: Rollout, requiredApp: VersionRange?, id: String
    ) throws -> [Step] {
        if let newest = offered.first, newest.offer == offer {
            return rollout.percent > newest.rollout.percent ? try setting(rollout) : []
        }
        return [.add(try Release(id: id, offer: offer, rollout: rollout, requiredApp: requiredApp))]
    }

    func setting(_ rollout: Rollout) throws -> [Step] {
        guard let newest = offered.first else { throw Self.nothing }
        guard newest.rollout != rollout else { return [] }
        return [
            .update(
                try Release(
                    id: newest.id, offer: newest.offer, rollout: rollout, requiredApp: newest.requiredApp,
                    retry: newest.retry))
        ]
    }

    func retrying() throws -> [Step] {
        guard let newest = offered.first else { throw Self.nothing }
        return [
            .update(
                try Release(
                    id: newest.id, offer: newest.offer, rollout: newest.rollout, requiredApp: newest.requiredApp,
                    retry: newest.retry + 1))
        ]
    }

    /// Offers an older version, or what the app embeds, to everyone under a new id, and removes what came after it.
    func rollingBack(to offer: Release.Offer, requiredApp: VersionRange?, id: String) throws -> [Step] {
        if let newest = offered.first, newest.offer == offer, newest.rollout == .everyone { return [] }
        let kept = entries.lastIndex { !$0.isRemoved && $0.release.offer == offer }
        let removed = entries.indices.filter { index in
            !entries[index].isRemoved && (kept.map { index > $0 } ?? false)
        }
        let replaced = kept == nil ? entries.indices.filter { !entries[$0].isRemoved }.suffix(1) : []
        return (removed + replaced).map { .remove(entries[$0].release.id) } + [
            .add(try Release(id: id, offer: offer, rollout: .everyone, requiredApp: requiredApp))
        ]
    }

    func withdrawing(_ manifest: Digest) -> [Step] {
        entries.compactMap { entry in
            guard !entry.isRemoved, case .version(_, manifest) = entry.release.offer else { return nil }
            return .remove(entry.release.id)
        }
    }

    func applying(_ steps: [Step]) -> ReleaseHistory {
        var result = self
        for step in steps {
            switch step {
            case .add(let release): result.entries.append(Entry(release: release))
            case .update(let release):
                for index in result.entries.indices where result.entries[index].release.id == release.id {
                    result.entries[index].release = release
                }
            case .remove(let id):
                for index in result.entries.indices where result.entries[index].release.id == id {
                    result.entries[index].isRemoved = true
                }
            }
        }
        return result
    }

    private static var nothing: RegistryError {
        RegistryError(.notFound, "the channel offers nothing of this package yet: publish or promote a version first")
    }
}
