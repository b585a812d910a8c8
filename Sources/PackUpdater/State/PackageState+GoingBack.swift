package import PackFormat

extension PackageState {
    /// Why a version was left.
    package struct WentBack: Hashable, Sendable {
        package let from: Installed
        /// Nil: no version is left to run.
        package let to: Installed?
        package let reason: String
        /// The code of the reason, for reports.
        package let cause: ReportEvent.Fault
    }

    /// Why the next start must not be of the active version; nil if it is confirmed, or has starts left.
    package func reasonOfUsedStarts(_ limit: Int) -> String? {
        guard let active, !active.isConfirmed, active.starts >= limit else { return nil }
        return "it was started \(active.starts) times and never confirmed"
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
