public import PackFormat
import PackUpdater

/// Watches a version that was never confirmed, and a confirmed one for a minute after its confirmation.
///
/// The time to become ready belongs to the version, from its first start on, not to a page, which could restart it
/// again and again by reloading itself. A page that hangs reports nothing, so the time decides.
@MainActor
public final class VersionTrial {
    /// The longest time to wait for a page that hangs.
    public static let longestHang = Duration.seconds(15)
    /// How long a version is watched after its confirmation.
    public static let probationTime = Duration.seconds(60)

    public weak var view: (any TrialView)?
    private let host: PackHost
    private let package: PackageID
    private let readyTimeout: Duration
    /// The version that was never confirmed, and the one that has just been.
    private var trial: Digest?
    private var probation: Digest?

    /// - Parameter readyTimeout: How long a version may take to be confirmed if the updater has no `readyDeadline`
    ///   for it.
    public init(of package: PackageID, in host: PackHost, readyTimeout: Duration) {
        self.package = package
        self.host = host
        self.readyTimeout = readyTimeout
    }

    /// Call it when a page has started. If its version still has to prove that it works, its time runs from now on.
    public func begin(_ page: StartedPage) async {
        guard page.package == package, let status = await status(), status.manifest == page.digest,
            !status.isConfirmed, trial != page.digest
        else { return }
        trial = page.digest
        Task { await judge(page.digest) }
    }

    /// Call it when the version was confirmed. For a while, a page of it that hangs is still a reason to go back.
    public func end(_ page: StartedPage) {
        guard page.package == package, trial == page.digest else { return }
        trial = nil
        probation = page.digest
        Task { await watchPulse(page.digest) }
    }

    /// Call it when another version has replaced this one.
    public func abandon() { trial = nil }

    /// Goes back from a version to the previous one if it was not confirmed, or only just now.
    /// - Returns: nil if another version is active by now, or this one has shown that it works: its page may work the next
    ///   time.
    /// - Throws: `UpdateError.nothingToGoBackTo` for the only version: there would be nothing to show at all.
    public func goBack(from suspect: Digest, reason: String) async throws -> WentBack? {
        guard let status = await status(), status.manifest == suspect, let version = status.active,
            !status.isConfirmed || probation == suspect
        else { return nil }
        let other = try await host.updater.rollBack(package, from: suspect, reason: reason)
        (trial, probation) = (nil, nil)
        return WentBack(from: version, to: other)
    }

    private func status() async -> PackageStatus? {
        try? await host.updater.status().first { $0.package == package }
    }

    private func judge(_ version: Digest) async {
        while trial == version, let view {
            let left = (try? await host.updater.timeToConfirm(package)) ?? readyTimeout
            // The version's next page is left at once.
            if left <= .zero, !view.isElsewhere { break }
            try? await Task.sleep(for: max(left, .seconds(1)))
        }
        if trial == version { view?.versionFailed(.late(version)) }
    }

    private func watchPulse(_ version: Digest) async {
        let patience = min(readyTimeout, Self.longestHang)
        let end = ContinuousClock.now + Self.probationTime
        while ContinuousClock.now < end, probation == version {
            try? await Task.sleep(for: .seconds(1))
            guard let view, let load = view.load(of: version) else { continue }
            if await !view.isAnswering(within: patience), view.load(of: version) == load, probation == version {
                view.versionFailed(.hangs(patience))
                return
            }
        }
        if probation == version { probation = nil }
    }
}
