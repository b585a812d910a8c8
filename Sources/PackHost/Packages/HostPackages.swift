public import PackFormat
import PackUpdater
public import PackWeb

/// The packages of a host for the web side. A page gets the version that is active when it starts, and so does a
/// frame of another package in it. All installed packages are known, whether or not somebody has opened them.
public final class HostPackages: SiteCatalog {
    private struct State {
        var settings: WebSettings
        var sessions: [PackageID: PackageSession] = [:]
        /// What pages were answered since it was reported last.
        var counters: [PackageID: [SemanticVersion: WebCounters]] = [:]
    }

    private let state: Locked<State>

    init(_ settings: WebSettings) {
        state = Locked(State(settings: settings))
    }

    public var settings: WebSettings { state.withLock { $0.settings } }

    /// The manifest of the version that a page would get if it started now; nil if no version is here.
    public func manifest(of package: PackageID) -> Manifest? { session(of: package)?.manifest }

    public func content(of package: PackageID) throws -> (any SiteContent)? {
        session(of: package).map(PinnedVersion.init)
    }

    public func count(_ counters: WebCounters, of package: PackageID, _ version: SemanticVersion) {
        state.withLock { $0.counters[package, default: [:]][version, default: WebCounters()] += counters }
    }

    /// What was counted since the last call.
    func takeCounters() -> [PackageID: [SemanticVersion: WebCounters]] {
        state.withLock { state in
            defer { state.counters = [:] }
            return state.counters
        }
    }

    func session(of package: PackageID) -> PackageSession? { state.withLock { $0.sessions[package] } }

    /// Whether the store has another version than a page would get, or another gate.
    func isOutdated(_ status: PackageStatus) -> Bool {
        let (known, isEnabled) = state.withLock { state in
            (state.sessions[status.package], state.settings.packages[status.package]?.isEnabled)
        }
        if known?.manifest.digest == status.manifest, isEnabled == status.isEnabled { return false }
        // What is on its way is no version of the store yet.
        return status.manifest != nil || known?.isInstalling == false || !status.isEnabled
    }

    /// - Parameter session: Nil if the store has no version that may be shown.
    func take(_ session: PackageSession?, of package: PackageID, isEnabled: Bool) {
        let origins = session?.manifest.origins ?? []
        set(WebSettings.Package(isEnabled: isEnabled, origins: origins), session, of: package)
    }

    /// Pages that start from now on have them.
    func set(_ rules: WebRules) {
        state.withLock { state in
            if state.settings.rules != rules { state.settings.rules = rules }
        }
    }

    func set(_ settings: WebSettings.Package, _ session: PackageSession?, of package: PackageID) {
        state.withLock { state in
            state.sessions[package] = session
            state.settings.packages[package] = settings
        }
    }
}
