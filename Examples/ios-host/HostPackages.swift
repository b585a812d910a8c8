import Foundation
import PackFormat
import PackUpdater
import PackWeb

/// Joins the updater to the web side: a page that starts gets the version that was opened last.
final class HostPackages: SiteCatalog, @unchecked Sendable {
    static let scheme = "h5pack"

    private struct Pinned: SiteContent {
        let session: PackUpdater.PackageSession

        var manifest: Manifest { session.manifest }
        var isInstalling: Bool { session.isInstalling }
        func file(for digest: Digest) throws -> URL { session.file(for: digest) }
        func fetch(_ digest: Digest) async throws { try await session.fetch(digest) }
    }

    private let updater: Updater
    private let lock = NSLock()
    private var sessions: [PackageID: PackUpdater.PackageSession] = [:]
    private var known = WebSettings(schemes: [HostPackages.scheme])

    init(updater: Updater) {
        self.updater = updater
    }

    @discardableResult
    func open(_ package: PackageID) async throws -> OpenedPackage {
        let opened = try await updater.open(package)
        lock.withLock {
            switch opened {
            case .installed(let session), .installing(let session):
                sessions[package] = session
                known.packages[package] = WebSettings.Package(origins: session.manifest.origins)
            case .unavailable(let absence):
                sessions[package] = nil
                known.packages[package] = WebSettings.Package(
                    origins: absence.origins,
                    absence: WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable))
            }
        }
        return opened
    }

    func session(of package: PackageID) -> PackUpdater.PackageSession? { lock.withLock { sessions[package] } }

    var settings: WebSettings { lock.withLock { known } }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        session(of: package).map { Pinned(session: $0) }
    }
}
