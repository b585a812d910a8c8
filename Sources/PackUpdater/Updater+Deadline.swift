public import PackFormat

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Updater {
    /// When the active version was first started without having been confirmed since, by the configuration's clock.
    /// The time is kept across restarts of the app.
    /// - Returns: nil if it is confirmed, was not started yet, or none is active.
    public func unconfirmedSince(_ package: PackageID) throws -> Date? {
        guard let active = try store.state()[package].active, !active.isConfirmed else { return nil }
        return active.unconfirmedSince.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// What is left of the active version's ready deadline. An app with a window sets its timer by it at each load,
    /// because the load after a reload gets no new time. When it is over, ``rollBack(_:from:reason:)`` leaves the version,
    /// and so does opening it once more.
    /// - Returns: nil if the version is confirmed, was not opened in this run of the app, or there is no deadline.
    ///   Zero or less: it has passed.
    public func timeToConfirm(_ package: PackageID) throws -> Duration? {
        try timeToConfirm(store.state()[package], package)
    }

    private func timeToConfirm(_ state: PackageState, _ package: PackageID) -> Duration? {
        guard let limit = configuration.readyDeadline, let active = state.active, !active.isConfirmed,
            let age = readyDeadlines.age(of: active.id, package, at: configuration.uptime())
        else { return nil }
        return limit - age
    }

    /// Whether the deadline of the active version has passed.
    func isLate(_ state: PackageState, _ package: PackageID) -> Bool {
        timeToConfirm(state, package).map { $0 <= .zero } ?? false
    }

    /// Why a version is left whose deadline has passed.
    var lateReason: String {
        let limit = configuration.readyDeadline ?? .zero
        let seconds = limit.components.attoseconds == 0 ? "\(limit.components.seconds)" : "\(limit / .seconds(1))"
        return "it was not confirmed within \(seconds) seconds of its first start"
    }
}
