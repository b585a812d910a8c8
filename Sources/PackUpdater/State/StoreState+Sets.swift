package import PackFormat

/// Transitions of several packages at once. The versions of a set are staged, switched in and left together, each in one
/// write of `state.json`.
extension StoreState {
    package struct Switch: Hashable, Sendable {
        package let package: PackageID
        package let from: PackageState.Installed?
        package let to: PackageState.Installed?
    }

    /// A package that left its active version.
    package struct Retreat: Hashable, Sendable {
        package let package: PackageID
        package let wentBack: PackageState.WentBack
    }

    /// Drops what is staged for a package, and what was staged with it as one set.
    mutating func unstage(_ package: PackageID) {
        let set = self[package].staged?.release?.set
        self[package].staged = nil
        guard let set else { return }
        for other in packages.keys where self[other].staged?.release?.set == set { self[other].staged = nil }
    }

    /// Switches packages to what is staged for them, and all that was staged with them as one set.
    /// - Parameter chosen: nil for every package.
    package mutating func activate(_ chosen: [PackageID]? = nil) -> [Switch] {
        var chosen = Set(chosen ?? Array(packages.keys))
        let sets = Set(chosen.compactMap { self[$0].staged?.release?.set })
        for (package, state) in packages {
            if let set = state.staged?.release?.set, sets.contains(set) { chosen.insert(package) }
        }
        let (unproven, unsettled) = sets.isEmpty ? ([], []) : activeSets
        return chosen.sorted().compactMap { package in
            let state = self[package]
            let set = state.staged?.release?.set
            guard let change = self[package].activate() else { return nil }
            if let set {
                self[package].beforeSets = Self.before(set, state, unproven: unproven, unsettled: unsettled)
            } else if self[package].beforeSets.first?.set != self[package].previous?.release?.set {
                self[package].beforeSets = []
            }
            return Switch(package: package, from: change.from, to: change.to)
        }
    }

    /// The active sets that did not prove themselves (no package is confirmed, or one was started and is not), and those of
    /// which some package is not confirmed yet.
    private var activeSets: (unproven: Set<String>, unsettled: Set<String>) {
        var members: [String: [PackageState.Active]] = [:]
        for active in packages.values.compactMap(\.active) {
            if let set = active.installed.release?.set { members[set, default: []].append(active) }
        }
        let unproven = members.filter { _, actives in
            !actives.contains(where: \.isConfirmed) || actives.contains { !$0.isConfirmed && $0.starts > 0 }
        }
        let unsettled = members.filter { _, actives in actives.contains { !$0.isConfirmed } }
        return (Set(unproven.keys), Set(unsettled.keys))
    }

    /// What a package goes back to if the set that takes its place fails. A set that did not prove itself is skipped for
    /// what was there before it, in all of its packages alike.
    private static func before(
        _ set: String, _ state: PackageState, unproven: Set<String>, unsettled: Set<String>
    ) -> [PackageState.BeforeSet] {
        guard let active = state.active else { return [] }
        let own = active.installed.release?.set
        var below: [PackageState.BeforeSet] = []
        var target = (installed: active.installed, isConfirmed: active.isConfirmed)
        if let own, unproven.contains(own), let index = state.beforeSets.firstIndex(where: { $0.set == own }) {
            target = (state.beforeSets[index].installed, state.beforeSets[index].isConfirmed)
            below = Array(state.beforeSets[(index + 1)...])
        } else if let own, unsettled.contains(own) {
            below = state.beforeSets
        } else if own == nil, !active.isConfirmed, active.starts > 0, let working = state.lastWorking {
            target = (working, true)
        }
        let before = PackageState.BeforeSet(set: set, installed: target.installed, isConfirmed: target.isConfirmed)
        return Array(([before] + below).prefix(PackageState.beforeSetLimit))
    }

    /// Leaves a package's active version, and with it the active versions of its set. What has nothing to go back to
    /// stays, except the package itself.
    /// - Returns: the package first; nothing if it has to stay.
    package mutating func goBack(
        _ package: PackageID, reason: String, cause: ReportEvent.Fault = .asked, isItsFault: Bool = true
    ) -> [Retreat] {
        guard let wentBack = self[package].goBack(reason: reason, cause: cause, isItsFault: isItsFault) else {
            return []
        }
        return [Retreat(package: package, wentBack: wentBack)] + takeBack(with: package, wentBack)
    }

    /// ``PackageState/recordStart(token:limit:now:)``; a set whose version is left goes back as a whole.
    package mutating func recordStart(
        of package: PackageID, token: String, limit: Int, now: Int = 0
    ) -> (outcome: PackageState.StartOutcome, retreats: [Retreat]) {
        let (outcome, wentBack) = self[package].recordStart(token: token, limit: limit, now: now)
        guard let wentBack else { return (outcome, []) }
        return (outcome, [Retreat(package: package, wentBack: wentBack)] + takeBack(with: package, wentBack))
    }

    /// ``PackageState/leaveUnfitting(reason:fits:)``; a set whose version is left goes back as a whole.
    /// - Returns: the package first; nothing if it stays.
    package mutating func leaveUnfitting(
        _ package: PackageID, reason: String, fits: (PackageState.Installed) throws -> Bool
    ) rethrows -> [Retreat] {
        guard let wentBack = try self[package].leaveUnfitting(reason: reason, fits: fits) else { return [] }
        return [Retreat(package: package, wentBack: wentBack)] + takeBack(with: package, wentBack)
    }

    private mutating func takeBack(with package: PackageID, _ left: PackageState.WentBack) -> [Retreat] {
        guard let set = left.from.release?.set else { return [] }
        return packages.keys.sorted().compactMap { other in
            let state = self[other]
            guard other != package, state.active?.installed.release?.set == set, state.hasOther,
                let wentBack = self[other].goBack(
                    reason: "it came in one set with \(package): \(left.reason)", cause: left.cause,
                    isItsFault: false)
            else { return nil }
            return Retreat(package: other, wentBack: wentBack)
        }
    }
}
