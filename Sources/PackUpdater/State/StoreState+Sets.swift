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

    /// Stages a version that comes by itself. What was staged in one set with the one whose place it takes goes with it.
    /// - Returns: false if the version runs already.
    @discardableResult
    mutating func stage(_ installed: PackageState.Installed, for package: PackageID) -> Bool {
        unstage(package)
        return self[package].stage(installed)
    }

    /// ``PackageState/embed(_:)``; what was staged in one set with the version whose place it takes goes with that.
    @discardableResult
    mutating func embed(_ installed: PackageState.Installed, for package: PackageID) -> Bool {
        var own = self[package]
        let isNext = own.embed(installed)
        if own.staged != self[package].staged { unstage(package) }
        self[package] = own
        return isNext
    }

    /// Why a version of a set that came by itself, for a page that waited for it, must not become active; nil if it may.
    /// The rest of the set may have failed or gone back while it came.
    /// - Parameter companions: the versions of the set's other packages that go with it.
    func reasonNotToArrive(
        _ installed: PackageState.Installed, as package: PackageID, with companions: [PackageID: Set<VersionID>]
    ) -> String? {
        guard let release = installed.release, let set = release.set else { return nil }
        for (other, state) in packages.sorted(by: { $0.key < $1.key }) where other != package {
            if state.failures.contains(where: { $0.release?.set == set && $0.release?.retry ?? 0 >= release.retry }) {
                return "\(other), of the same set, failed on this device"
            }
            if let active = state.active, let fitting = companions[other], !fitting.contains(active.id) {
                return "\(other), of the same set, runs \(active.id) by now"
            }
        }
        return nil
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

    /// Leaves the set of a package's active version if another package of it has used up its starts: that one's next start
    /// would take the set back, while this one's page were open with the version that goes.
    /// - Parameters:
    ///   - limit: the number of unconfirmed starts that a version gets.
    ///   - isOpen: whether a version was started in this run of the app, and still has its time.
    /// - Returns: the other package first; nothing if the set stays.
    package mutating func leaveUsedUpSet(
        of package: PackageID, limit: Int, isOpen: (PackageID, VersionID) -> Bool
    ) -> [Retreat] {
        guard let set = self[package].active?.installed.release?.set else { return [] }
        for (other, state) in packages.sorted(by: { $0.key < $1.key }) where other != package && state.hasOther {
            guard let active = state.active, active.installed.release?.set == set, !isOpen(other, active.id),
                let reason = state.reasonOfUsedStarts(limit)
            else { continue }
            return goBack(other, reason: reason, cause: .neverConfirmed)
        }
        return []
    }

    /// Leaves a package's active version if it does not fit the app any more, and with it the active versions of its set, for
    /// the first versions that all fit of those to which a device goes back. It is no failure: a release of them is taken again
    /// when the app fits.
    /// - Returns: the package first; nothing if the active version fits, or no such versions are here. Then all stay until
    ///   the channel offers others.
    package mutating func leaveUnfitting(
        _ package: PackageID, reason: String, fits: (PackageState.Installed, PackageID) throws -> Bool
    ) rethrows -> [Retreat] {
        guard let left = self[package].active?.installed, try !fits(left, package) else { return [] }
        var candidate = self
        var moved: Set<PackageID> = [package]
        var seen: [PackageID: Set<VersionID>] = [:]
        var next: PackageID? = package
        while let leaving = next {
            guard let id = candidate[leaving].active?.id, seen[leaving, default: []].insert(id).inserted else {
                return []
            }
            let step = candidate.goBack(leaving, reason: reason, cause: .refused, isItsFault: false)
            guard let to = step.first?.wentBack.to, seen[leaving]?.contains(to.id) != true else { return [] }
            moved.formUnion(step.map(\.package))
            next = try moved.sorted().first { other in
                guard let active = candidate[other].active?.installed else { return false }
                return try !fits(active, other)
            }
        }
        let others = moved.subtracting([package]).sorted()
        let retreats = ([package] + others).compactMap { other -> Retreat? in
            guard let from = self[other].active?.installed else { return nil }
            let why = other == package ? reason : Self.reason(of: package, reason)
            return Retreat(
                package: other,
                wentBack: PackageState.WentBack(
                    from: from, to: candidate[other].active?.installed, reason: why, cause: .refused))
        }
        self = candidate
        return retreats
    }

    private static func reason(of package: PackageID, _ reason: String) -> String {
        "it came in one set with \(package): \(reason)"
    }

    private mutating func takeBack(with package: PackageID, _ left: PackageState.WentBack) -> [Retreat] {
        guard let set = left.from.release?.set else { return [] }
        // What came later than the rest, because its gate was off, would become active alone.
        for other in packages.keys where self[other].staged?.release?.set == set { self[other].staged = nil }
        return packages.keys.sorted().compactMap { other in
            let state = self[other]
            guard other != package, state.active?.installed.release?.set == set, state.hasOther,
                let wentBack = self[other].goBack(
                    reason: Self.reason(of: package, left.reason), cause: left.cause,
                    isItsFault: false)
            else { return nil }
            return Retreat(package: other, wentBack: wentBack)
        }
    }
}
