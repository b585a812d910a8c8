package import PackFormat

extension PackageState {
    /// The result of a start.
    package enum StartOutcome: Hashable, Sendable {
        /// Nothing is active.
        case nothing
        case started(Installed)
    }

    package enum ConfirmOutcome: Hashable, Sendable {
        case confirmed(Installed)
        case alreadyConfirmed
        case refused(reason: String)
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
        if let reason = reasonOfUsedStarts(limit) { wentBack = goBack(reason: reason, cause: .neverConfirmed) }
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
}
