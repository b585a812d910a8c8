import Foundation
import PackFormat
import PackUpdater
import PackWeb

/// The packages of a store as pages in browsers use them: a page that starts opens the version that is active then,
/// and what it loads later names that load, by a cookie, so that an update between two requests cannot mix versions.
actor ClientSite {
    private let updater: Updater
    /// Sessions by load token, the newest last: what open pages may still ask for.
    private var sessions: [(token: String, session: PackUpdater.PackageSession)] = []
    /// Sessions that are kept; an older page loads anew.
    private static let limit = 32

    init(updater: Updater) {
        self.updater = updater
    }

    func packages() async throws -> [PackageStatus] { try await updater.status() }

    /// The version for a request: that of the page that the token names, else the one a new page gets.
    func content(of package: PackageID, token: String?, isPage: Bool) async throws -> OpenedPackage {
        if !isPage, let found = sessions.last(where: { $0.session.package == package && $0.token == token }) {
            return .installed(found.session)
        }
        let opened = try await updater.open(package)
        guard case .installed(let session) = opened else { return opened }
        if !sessions.contains(where: { $0.session === session }) {
            // A version that does not change needs one pin, whoever opens it.
            if let same = sessions.last(where: {
                $0.session.package == package && $0.session.version == session.version
            }),
                try await !isUnconfirmed(package)
            {
                return .installed(same.session)
            }
            sessions = (sessions + [(session.loadToken, session)]).suffix(Self.limit)
        }
        return opened
    }

    func confirm(_ package: PackageID, _ version: SemanticVersion, token: String) async throws {
        try await updater.confirm(package, version: version, loadToken: token)
    }

    private func isUnconfirmed(_ package: PackageID) async throws -> Bool {
        try await updater.status().contains { $0.package == package && !$0.isConfirmed }
    }
}

/// One pinned version, for the resolver.
struct PinnedSite: SiteCatalog, SiteContent {
    let session: PackUpdater.PackageSession

    var manifest: Manifest { session.manifest }
    func file(for digest: Digest) throws -> URL { session.file(for: digest) }

    var settings: WebSettings {
        WebSettings(packages: [session.package: WebSettings.Package(origins: manifest.origins)])
    }

    func content(of package: PackageID) throws -> (any SiteContent)? { package == session.package ? self : nil }
}
