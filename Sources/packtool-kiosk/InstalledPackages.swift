import Foundation
import PackFormat
import PackUpdater
import PackWeb
import Synchronization

/// The packages of a store as the web side wants them: a page that starts gets the version that is active then, and so
/// does a frame of another package in it. All that are installed are known, whether or not somebody has opened them.
final class InstalledPackages: SiteCatalog {
    private struct State {
        var settings = WebSettings()
        var sessions: [PackageID: PackUpdater.PackageSession] = [:]
    }

    private struct Pinned: SiteContent {
        let session: PackUpdater.PackageSession

        var manifest: Manifest { session.manifest }
        var isInstalling: Bool { session.isInstalling }
        func fetch(_ digest: Digest) async throws { try await session.fetch(digest) }
        func file(for digest: Digest) throws -> URL { session.file(for: digest) }
    }

    private let updater: Updater
    private let state: Mutex<State>

    init(updater: Updater, schemes: Set<String>, rules: WebRules, loopbackServices: Set<String>) {
        self.updater = updater
        var settings = WebSettings(schemes: schemes, rules: rules)
        settings.loopbackServices = loopbackServices
        state = Mutex(State(settings: settings))
    }

    /// Takes over what the store has now. Nothing is counted: no page has started.
    func refresh() async throws {
        for status in try await updater.status() {
            let (known, isEnabled) = state.withLock { state in
                (state.sessions[status.package], state.settings.packages[status.package]?.isEnabled)
            }
            if known?.manifest.digest == status.manifest, isEnabled == status.isEnabled { continue }
            // What is on its way is no version of the store yet.
            if status.manifest == nil, known?.isInstalling != false, status.isEnabled { continue }
            do {
                take(try await updater.pin(status.package), of: status.package, isEnabled: status.isEnabled)
            } catch {
                // One that cannot be read takes nothing from the others.
                let absence = WebSettings.Absence(why: "\(error)")
                take(nil, of: status.package, isEnabled: status.isEnabled, absence: absence)
            }
        }
    }

    /// Makes a package ready for any frame, without a start; one that is not here begins to install itself.
    func prepare(_ package: PackageID) async throws -> OpenedPackage {
        let opened = try await updater.prepare(package)
        try await take(opened, of: package)
        return opened
    }

    /// Opens a package for the view's own page, which counts as a start while its version is not confirmed.
    @discardableResult
    func open(_ package: PackageID) async throws -> OpenedPackage {
        let opened = try await updater.open(package)
        try await take(opened, of: package)
        return opened
    }

    private func take(_ opened: OpenedPackage, of package: PackageID) async throws {
        let isEnabled = try await updater.status().first { $0.package == package }?.isEnabled ?? true
        if case .unavailable(let absence) = opened {
            let page = WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable)
            take(nil, of: package, isEnabled: isEnabled, origins: absence.origins, absence: page)
        } else {
            take(opened.session, of: package, isEnabled: isEnabled)
        }
    }

    private func take(
        _ session: PackUpdater.PackageSession?, of package: PackageID, isEnabled: Bool, origins: [String] = [],
        absence: WebSettings.Absence? = nil
    ) {
        state.withLock { state in
            var settings = WebSettings.Package(isEnabled: isEnabled)
            settings.origins = session?.manifest.origins ?? origins
            settings.absence = absence
            state.sessions[package] = session
            state.settings.packages[package] = settings
        }
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
