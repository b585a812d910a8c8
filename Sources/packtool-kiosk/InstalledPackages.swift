import Foundation
import PackFormat
import PackUpdater
import PackWeb
import Synchronization

/// The packages of a store as the web side wants them: a page that starts gets the version that was opened last.
final class InstalledPackages: SiteCatalog {
    private struct State {
        var settings = WebSettings()
        var sessions: [PackageID: PackUpdater.PackageSession] = [:]
    }

    private struct Pinned: SiteContent {
        let session: PackUpdater.PackageSession

        var manifest: Manifest { session.manifest }
        var isInstalling: Bool { session.isInstalling }
        func file(for digest: Digest) throws -> URL { session.file(for: digest) }
        func fetch(_ digest: Digest) async throws { try await session.fetch(digest) }
    }

    private let updater: Updater
    private let state: Mutex<State>

    init(updater: Updater, schemes: Set<String>, rules: WebRules, loopbackServices: Set<String>) {
        self.updater = updater
        var settings = WebSettings(schemes: schemes, rules: rules)
        settings.loopbackServices = loopbackServices
        state = Mutex(State(settings: settings))
    }

    /// Opens the active version of a package for the next page, which counts as a start while it is not confirmed.
    @discardableResult
    func open(_ package: PackageID) async throws -> OpenedPackage {
        let opened = try await updater.open(package)
        let isEnabled = try await updater.status().first { $0.package == package }?.isEnabled ?? true
        state.withLock { state in
            var settings = WebSettings.Package(isEnabled: isEnabled)
            switch opened {
            case .installed(let session), .installing(let session):
                state.sessions[package] = session
                settings.origins = session.manifest.origins
            case .unavailable(let absence):
                state.sessions[package] = nil
                settings.origins = absence.origins
                settings.absence = WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable)
            }
            state.settings.packages[package] = settings
        }
        return opened
    }

    /// The package that a URL names, opened or not.
    static func package(of url: String, scheme: String) -> PackageID? {
        guard let parts = URLComponents(string: url), let host = parts.host?.lowercased() else { return nil }
        if parts.scheme?.lowercased() == scheme { return try? PackageID(host) }
        let suffix = "." + SiteAddress.virtualSuffix
        guard parts.scheme?.lowercased() == "https", host.hasSuffix(suffix) else { return nil }
        return try? PackageID(String(host.dropLast(suffix.count)))
    }

    func session(of package: PackageID) -> PackUpdater.PackageSession? { state.withLock { $0.sessions[package] } }

    var settings: WebSettings { state.withLock { $0.settings } }

    func manifest(of package: PackageID) -> Manifest? { state.withLock { $0.sessions[package]?.manifest } }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        session(of: package).map { Pinned(session: $0) }
    }
}
