import Foundation
import PackFormat

@testable import PackRegistry

extension MemoryRegistryStore.State {
    /// The releases of a package that have, or had, a plan, or are of a set that has one.
    /// - Parameter time: the moment as of which it is told; nil: now.
    func planned(_ package: PackageID, at time: Date? = nil) -> [PlannedRelease] {
        let known = events.enumerated().filter { $0.element.event.time <= time ?? .distantFuture }
        return histories.flatMap { channel, packages -> [PlannedRelease] in
            (packages[package]?.entries ?? []).compactMap { entry -> PlannedRelease? in
                let members = members(with: entry, of: package, packages, at: time)
                let plan = known.last { _, recorded in
                    guard case .plan = recorded.event.kind else { return false }
                    return members.contains { $0.release == recorded.release }
                }
                guard let plan, let holder = members.first(where: { $0.release == plan.element.release }) else {
                    return nil
                }
                let others = members.filter { $0 != holder }
                let newer =
                    self.newer(than: holder, packages, after: -1)
                    ?? others.lazy.compactMap { self.newer(than: $0, packages, after: plan.offset) }.first
                return PlannedRelease(
                    package: package, channel: channel, release: entry.release.id, version: entry.release.version,
                    events: known.map(\.element).filter { $0.release == holder.release }.map(\.event),
                    newer: time == nil ? newer : nil, set: members.count > 1 ? members : [], holder: holder)
            }
        }
    }

    /// The newest release of a member's package, if it is newer than the member and was made after an event.
    private func newer(
        than member: PlannedRelease.Member, _ packages: [PackageID: ReleaseHistory], after event: Int
    ) -> PlannedRelease.Member? {
        let later = (packages[member.package]?.entries ?? []).drop { $0.release.id != member.release }.dropFirst()
        guard let newest = later.last(where: { !$0.isRemoved && !$0.release.rollout.reachesNobody })?.release,
            events.firstIndex(where: { $0.release == newest.id }) ?? 0 > event
        else { return nil }
        return PlannedRelease.Member(package: member.package, release: newest.id, version: newest.version)
    }

    /// The releases that have a plan together with one.
    private func members(
        with own: ReleaseHistory.Entry, of package: PackageID, _ packages: [PackageID: ReleaseHistory], at time: Date?
    ) -> [PlannedRelease.Member] {
        func isGone(_ entry: ReleaseHistory.Entry) -> Bool {
            entry.removed.map { $0 <= time ?? .distantFuture } ?? false
        }
        func member(_ package: PackageID, _ entry: ReleaseHistory.Entry) -> PlannedRelease.Member {
            PlannedRelease.Member(package: package, release: entry.release.id, version: entry.release.version)
        }
        guard let set = own.release.set else { return [member(package, own)] }
        let found = packages.sorted { $0.key < $1.key }.compactMap { package, history in
            history.entries.last { $0.release.set == set }.map { (package: package, entry: $0) }
        }
        let present = found.filter { !isGone($0.entry) }
        if isGone(own), !present.isEmpty { return [member(package, own)] }
        return (present.isEmpty ? found : present).map { member($0.package, $0.entry) }
    }
}
