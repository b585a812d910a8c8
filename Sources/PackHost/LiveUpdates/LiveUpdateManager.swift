public import PackFormat
import PackUpdater

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One package of a host as a folder of plain files, for a shell that shows a folder by itself. It has what the contract of
/// Ionic's live-update providers asks for (`ionic-team/live-update-provider-sdk`), which Portals and Federated Capacitor
/// load their apps by.
///
///     try await host.start()                                // when the app starts
///     let manager = LiveUpdateManager(of: shop, in: host)
///     manager.latestAppDirectory                            // where the shell loads from
///     try await manager.update()                            // in the background, at any time
///     try await manager.start()                             // before the shell shows the folder
///     try await manager.confirm()                           // when its page works
///
/// Downloads, signatures, channels and rollouts are the host's. What an adapter of ours does while a page loads is the shell's
/// business here: a version that is still installing has no folder, a package that the channel has switched off has none
/// either, and nobody but the app counts starts and confirms.
public final class LiveUpdateManager: Sendable {
    private struct State {
        /// The versions whose folders were given out, which stay on the device.
        var given: [Digest: PackageSession] = [:]
        var started: PackageSession?
    }

    public let package: PackageID
    private let host: PackHost
    private let state = Locked(State())

    public init(of package: PackageID, in host: PackHost) {
        self.package = package
        self.host = host
    }

    /// The folder of the active version's files; nil if no version is completely installed, its files are damaged, or the
    /// channel has switched the package off. The folder stays on the device while this object exists, however many
    /// updates come.
    ///
    /// The host knows what is installed after `PackHost.start()`.
    public var latestAppDirectory: URL? {
        installed.map(give)
    }

    /// Checks for an update and installs it. ``latestAppDirectory`` is the new version's folder when this returns, if the
    /// configuration's `activation` is `.atOnce`, and else after the next start of the app.
    /// - Throws: `UpdateError` where the registry cannot be asked, ``LiveUpdateError`` where this package could not be
    ///   updated. What is installed stays.
    @discardableResult
    public func update() async throws -> LiveUpdateResult {
        let before = installed?.manifest.digest
        let report = try await host.update(.list([package]))
        if case .failed(let reason)? = report.entries.first(where: { $0.package == package })?.outcome {
            throw LiveUpdateError(package: package, reason: reason)
        }
        return LiveUpdateResult(version: installed?.version, didUpdate: installed?.manifest.digest != before)
    }

    /// Counts a start of the version that the shell is about to show. A version that has used up its starts without a
    /// confirmation is left for the one before it.
    /// - Returns: the folder to show; nil if there is none.
    /// - Throws: `UpdateError` where the store cannot be read.
    @discardableResult
    public func start() async throws -> URL? {
        // A package that is not here would begin to install itself, for a page that nobody answers.
        guard installed != nil, case .installed(let session) = try await host.open(package) else {
            state.withLock { $0.started = nil }
            return nil
        }
        state.withLock { $0.started = session }
        return give(session)
    }

    /// Confirms the version that ``start()`` has given: its page works.
    /// - Throws: `UpdateError.notConfirmed` if none was started, or another version or start has replaced it.
    public func confirm() async throws {
        guard let session = state.withLock({ $0.started }) else {
            throw UpdateError.notConfirmed(package, reason: "call start() before its page is shown")
        }
        try await host.updater.confirm(package, version: session.version, loadToken: session.loadToken)
    }

    /// The session of the version that is completely here.
    private var installed: PackageSession? {
        host.packages.session(of: package).flatMap { $0.isInstalling ? nil : $0 }
    }

    private func give(_ session: PackageSession) -> URL {
        state.withLock { $0.given[session.manifest.digest] = session }
        return session.folder
    }
}
