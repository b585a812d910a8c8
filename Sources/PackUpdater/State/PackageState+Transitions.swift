package import PackFormat

extension PackageState {
    /// The result of a start.
    package enum StartOutcome: Hashable, Sendable {
        /// Nothing is active.
        case nothing
        case started(Installed)
    }

    /// Why a version was left.
    package struct WentBack: Hashable, Sendable {
        package let from: Installed
        /// Nil: no version is left to run.
        package let to: Installed?
        package let reason: String
        /// The code of the reason, for reports.
        package let cause: ReportEvent.Fault
    }

    package enum ConfirmOutcome: Hashable, Sendable {
        case confirmed(Installed)
        case alreadyConfirmed
        case refused(reason: String)
    }

    /// Makes a version whose files are in the store the next one to run.
    /// - Returns: false if it runs already; what was staged before is dropped then.
    @discardableResult
    package mutating func stage(_ installed: Installed) -> Bool {
        if let active, active.id == installed.id {
            staged = nil
            return false
        }
        staged = .version(installed)
        return true
    }

    /// Makes the embedded version the next one to run. If the app embeds none, the confirmed version stays or comes
    /// back: only the registry's key signs the channel, and it must not take a working version from a device.
    /// - Parameter isWithdrawn: the publisher took the active version back, and so it goes even then.
    /// - Returns: false if that is so already.
    @discardableResult
    package mutating func stageEmbedded(release: ReleaseMark, isWithdrawn: Bool = false) -> Bool {
        if let embedded {
            return stage(Installed(id: embedded.id, release: release, hasPages: embedded.hasPages))
        }
        if let working = lastWorking, let active, !(isWithdrawn && working.id == active.id) { return stage(working) }
        if isWithdrawn, let previous, previous.id != active?.id { return stage(previous) }
        staged = active == nil ? nil : .nothing(release)
        return staged != nil
    }

    /// Records the version that the app embeds, and stages it unless a version that is at least as new is here.
    /// - Returns: whether it is staged.
    @discardableResult
    package mutating func embed(_ installed: Installed) -> Bool {
        embedded = installed
        if failures.contains(where: { $0.id == installed.id }) { return false }
        let newest = [active?.id, stagedVersion].compactMap { $0?.version }.max()
        if let newest, !(newest < installed.id.version) { return false }
        return stage(installed)
    }

    private var stagedVersion: VersionID? {
        if case .version(let installed) = staged { installed.id } else { nil }
    }

    /// Switches to the staged version. A version that was confirmed here before is still confirmed.
    /// - Returns: The version that was left and the one that is active now; nil if nothing was staged.
    package mutating func activate() -> (from: Installed?, to: Installed?)? {
        guard let staged else { return nil }
        let left = active?.installed
        let working = lastWorking
        self.staged = nil
        switch staged {
        case .nothing:
            active = nil
            previous = working
            unproven = nil
            return (left, nil)
        case .version(let installed):
            let isConfirmed = installed.id == working?.id || installed.id == previous?.id || !installed.hasPages
            active = Active(installed: installed, isConfirmed: isConfirmed)
            if working?.id != installed.id {
                previous = working
            } else if previous?.id == installed.id {
                previous = nil
            }
            let hasBetter = isConfirmed || previous != nil || embedded != nil
            unproven = hasBetter ? nil : unproven(besides: installed, left: left)
            return (left, installed)
        }
    }

    /// The version that ran last where none was confirmed: the one that is left, else the one before it.
    private func unproven(besides installed: Installed, left: Installed?) -> Installed? {
        [left, unproven].lazy.compactMap(\.self).first { candidate in
            candidate.id != installed.id && !failures.contains { $0.id == candidate.id }
        }
    }

    /// Makes a version active that was installed while its pages were on view, because no version was active.
    /// - Parameters:
    ///   - loads: the tokens of those pages, which are its first start; none if it was in frames only, which is no start.
    ///   - isConfirmed: whether one of them said already that it works.
    ///   - now: milliseconds since 1970.
    /// - Returns: False if another version is active by now, or this one has failed here meanwhile.
    package mutating func arrive(_ installed: Installed, loads: [String], isConfirmed: Bool, now: Int = 0) -> Bool {
        if active == nil {
            guard !failures.contains(where: { $0.id == installed.id && $0.release == installed.release }) else {
                return false
            }
            // What an update staged meanwhile may be a part of a set.
            if case .version(let other) = staged, other.id != installed.id { return false }
            stage(installed)
            _ = activate()
        }
        guard var active, active.id == installed.id else { return false }
        guard !active.isConfirmed, !loads.isEmpty else { return true }
        active.starts = max(1, active.starts)
        active.unconfirmedSince = active.unconfirmedSince ?? now
        active.loads = Array((active.loads + loads).suffix(Self.loadLimit))
        self.active = active
        if isConfirmed, let token = active.loads.last { _ = confirm(installed.id.version, token: token) }
        return true
    }

    /// Counts a start before any code of the page runs. If an unconfirmed version has used up its starts, it is left
    /// first.
    /// - Parameters:
    ///   - limit: the number of unconfirmed starts that a version gets.
    ///   - now: milliseconds since 1970.
    package mutating func recordStart(
        token: String, limit: Int, now: Int = 0
    ) -> (outcome: StartOutcome, wentBack: WentBack?) {
        var wentBack: WentBack?
        if let active, !active.isConfirmed, active.starts >= limit {
            wentBack = goBack(
                reason: "it was started \(active.starts) times and never confirmed", cause: .neverConfirmed)
        }
        guard var active else { return (.nothing, wentBack) }
        if !active.isConfirmed {
            active.starts += 1
            active.unconfirmedSince = active.unconfirmedSince ?? now
            active.loads = Array((active.loads + [token]).suffix(Self.loadLimit))
            self.active = active
        }
        return (.started(active.installed), wentBack)
    }

    /// Confirms the active version on behalf of a page or the app. The caller must name the version and one of its
    /// own loads, because the ready call of a page of the previous version says nothing about this one.
    package mutating func confirm(_ version: SemanticVersion, token: String) -> ConfirmOutcome {
        guard var active else { return .refused(reason: "no version is active") }
        guard active.id.version == version else {
            return .refused(reason: "version \(version) was confirmed and \(active.id) is active")
        }
        if active.isConfirmed { return .alreadyConfirmed }
        guard active.loads.contains(token) else {
            return .refused(reason: "the load token is not of a load of \(version)")
        }
        active.isConfirmed = true
        active.starts = 0
        active.loads = []
        active.unconfirmedSince = nil
        self.active = active
        unproven = nil
        failures.removeAll { $0.id == active.id }
        return .confirmed(active.installed)
    }

    /// Whether there is another version to go back to.
    package var hasOther: Bool {
        guard let active else { return false }
        if ownBeforeSet != nil { return true }
        if [previous, embedded].contains(where: { $0 != nil && $0?.id != active.id }) { return true }
        return embedded == nil && !active.isConfirmed && unproven != nil
    }

    /// What the active version goes back to with its set.
    private var ownBeforeSet: BeforeSet? {
        guard let active, let set = active.installed.release?.set else { return nil }
        return beforeSets.first { $0.set == set && $0.installed.id != active.id }
    }

    /// Leaves the active version and records its failure. The device goes back to the last confirmed version, else
    /// the embedded one, else the one that ran before it, else none.
    /// - Parameter isItsFault: False if its files were damaged. Then it may come back with the next update.
    /// - Returns: Nil if the device can only stay: nothing is active, or the embedded version is and there is no
    ///   other.
    package mutating func goBack(
        reason: String, cause: ReportEvent.Fault = .asked, isItsFault: Bool = true
    ) -> WentBack? {
        guard let left = active?.installed else { return nil }
        let target: Installed?
        let isConfirmed: Bool
        if let before = ownBeforeSet {
            (target, isConfirmed) = (before.installed, before.isConfirmed)
            beforeSets = Array(beforeSets.drop { $0.set != before.set }.dropFirst())
        } else if let previous, previous.id != left.id {
            (target, isConfirmed) = (previous, true)
        } else if let embedded, embedded.id != left.id {
            (target, isConfirmed) = (embedded, false)
        } else if embedded?.id == left.id || active?.isConfirmed == true {
            return nil
        } else {
            (target, isConfirmed) = (unproven, false)
            unproven = nil
        }
        if isItsFault { noteFailure(of: left, reason: reason) }
        if case .version(let installed) = staged, installed.id == left.id { staged = nil }
        if isConfirmed {
            previous = nil
        } else if active?.isConfirmed == true {
            previous = previous ?? left
        }
        active = target.map { Active(installed: $0, isConfirmed: isConfirmed || !$0.hasPages) }
        return WentBack(from: left, to: target, reason: reason, cause: cause)
    }

    /// Leaves the active version if it does not fit the app any more, for the first that does of those to which a device goes
    /// back. It is no failure: a release of it is taken again when the app fits.
    /// - Returns: nil if the active version fits, or none that is here does. Then it stays until the channel offers another.
    package mutating func leaveUnfitting(
        reason: String, fits: (Installed) throws -> Bool
    ) rethrows -> WentBack? {
        guard let left = active?.installed, try !fits(left) else { return nil }
        var candidate = self
        var seen: Set<VersionID> = [left.id]
        while let step = candidate.goBack(reason: reason, isItsFault: false), let to = step.to,
            seen.insert(to.id).inserted
        {
            guard try fits(to) else { continue }
            self = candidate
            return WentBack(from: left, to: to, reason: reason, cause: .refused)
        }
        return nil
    }

    /// Why the device must not try a release: its version failed here, and the release is neither newer than the one
    /// that failed nor asks for another try. `releases` are the channel's, newest first.
    package func failure(blocking release: Release, in releases: [Release]) -> Failure? {
        let id: VersionID?
        switch release.offer {
        case .version(let version, let manifest): id = VersionID(version: version, manifest: manifest)
        case .embedded: id = embedded?.id
        }
        return failures.first { failure in
            guard failure.id == id, let failed = failure.release, release.retry <= failed.retry else { return false }
            if failed.id == release.id { return true }
            guard let newer = releases.firstIndex(where: { $0.id == failed.id }),
                let own = releases.firstIndex(where: { $0.id == release.id })
            else { return false }
            return newer < own
        }
    }

    private mutating func noteFailure(of installed: Installed, reason: String) {
        failures.removeAll { $0.id == installed.id }
        let reason = Event.shortened(reason, to: 512)
        failures.insert(Failure(id: installed.id, release: installed.release, reason: reason), at: 0)
        failures = Array(failures.prefix(Self.failureLimit))
    }
}
