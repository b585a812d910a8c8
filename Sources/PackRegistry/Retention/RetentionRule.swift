package import Foundation
package import PackFormat

/// Decides which versions keep their files. Pure.
///
/// A version keeps them while a channel offers it, could go back to it, or offered it lately, while devices have it, and while it is
/// among the newest or was published lately; and so does each shared bundle that such a version pins. All others lose their files:
/// the signed roles still list them, but no channel leads a device to them.
package struct RetentionRule {
    /// Why a version keeps its files, the strongest reason first.
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        case offered, wayBack, offeredLately, pinned, onDevices, newest, publishedLately
    }

    package struct Decision: Hashable, Sendable {
        /// By the digest of the manifest.
        package fileprivate(set) var kept: [Digest: Reason] = [:]
        /// Those of the kept that a reader may be led to: offered now or lately, and the bundles of these.
        package fileprivate(set) var served: Set<Digest> = []
        /// Those whose files are to be removed, the oldest publication first.
        package fileprivate(set) var removed: [RetentionFacts.Version] = []

        package init() {}
    }

    private let facts: RetentionFacts
    private let policy: RetentionPolicy
    private let now: Date
    private let cutoff: Date

    package init(_ facts: RetentionFacts, _ policy: RetentionPolicy, now: Date) {
        self.facts = facts
        self.policy = policy
        self.now = now
        cutoff = policy.cutoff(now: now)
    }

    package func decision() -> Decision {
        var reasons: [Digest: Reason] = [:]
        func keep(_ manifest: Digest, _ reason: Reason) {
            let known = reasons[manifest].flatMap { Reason.allCases.firstIndex(of: $0) } ?? Int.max
            if Reason.allCases.firstIndex(of: reason) ?? 0 < known { reasons[manifest] = reason }
        }
        for history in facts.histories { keepOffers(of: history, keep) }
        for versions in Dictionary(grouping: facts.versions, by: \.name.package).values {
            for version in versions.filter({ !$0.isWithdrawn }).suffix(policy.versionCount) {
                keep(version.manifest, .newest)
            }
        }
        for version in facts.versions {
            if version.published >= cutoff { keep(version.manifest, .publishedLately) }
            if facts.onDevices.contains(version.name) { keep(version.manifest, .onDevices) }
        }
        var decision = Decision()
        for (manifest, reason) in reasons where [.offered, .wayBack, .offeredLately].contains(reason) {
            decision.served.formUnion(withBundles(manifest))
        }
        for manifest in reasons.keys {
            for bundle in withBundles(manifest) where bundle != manifest { keep(bundle, .pinned) }
        }
        decision.kept = reasons
        decision.removed = facts.versions.filter { reasons[$0.manifest] == nil && !$0.isPruned }
        return decision
    }

    /// A version, and all that it needs.
    private func withBundles(_ manifest: Digest) -> Set<Digest> {
        var found: Set = [manifest]
        var next = [manifest]
        while let manifest = next.popLast() {
            for bundle in facts.bundles[manifest] ?? [] where found.insert(bundle).inserted { next.append(bundle) }
        }
        return found
    }

    private func keepOffers(of history: ReleaseHistory, _ keep: (Digest, Reason) -> Void) {
        let shown = Set(history.offered.map(\.id))
        let waysBack = Set([history.hidden, history.earlier].compactMap { $0?.id })
        for (index, entry) in history.entries.enumerated() {
            guard case .version(_, let manifest) = entry.release.offer else { continue }
            if shown.contains(entry.release.id) {
                keep(manifest, .offered)
            } else if waysBack.contains(entry.release.id) {
                keep(manifest, .wayBack)
            } else if end(of: index, in: history) >= cutoff {
                keep(manifest, .offeredLately)
            }
        }
    }

    /// When a release was shown last. What hid it may have reached everyone long after it was made.
    private func end(of index: Int, in history: ReleaseHistory) -> Date {
        let entry = history.entries[index]
        let hider = history.entries[(index + 1)...].first { !$0.isRemoved && $0.release.rollout.reachesEveryone }
        let hidden = hider.map { facts.changed[$0.release.id] ?? $0.created }
        return entry.removed ?? hidden ?? now
    }
}
