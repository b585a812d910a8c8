import Foundation
import PackFormat
import PackUpdater
import PackWeb

/// The packages of a store as pages in browsers use them: a page that starts opens the version that is active then,
/// and what it loads later names that load, by a cookie, so that an update between two requests cannot mix versions.
actor ClientSite {
    private let updater: Updater
    /// The newest last: what open pages may still ask for.
    private var sites: [OpenSite] = []
    /// Sessions that are kept; an older page loads anew.
    private static let limit = 32
    /// The addresses of service workers' scripts: what these ask for names them.
    private var workerScripts: Set<String> = []
    /// Beyond it all are forgotten, and found again by the browsers' next look for a newer script.
    private static let maximumWorkerCount = 64

    /// A pinned version and the pages that have it.
    struct OpenSite {
        let session: PackUpdater.PackageSession
        let pages: PageDirectory
    }

    enum Opened {
        case installed(OpenSite)
        case unavailable(UnavailablePackage)
    }

    init(updater: Updater) {
        self.updater = updater
    }

    func packages() async throws -> [PackageStatus] { try await updater.status() }

    func activeVersion(of package: PackageID) async throws -> SemanticVersion? {
        try await updater.status().first { $0.package == package }?.active
    }

    /// The version for a request: that of the page that the token names, else the one a new page gets. A service worker
    /// outlives pages: its script and its imports come from the active version.
    func content(of package: PackageID, for request: SiteRequest, token: String?) async throws -> Opened {
        if request.isWorkerScript {
            if workerScripts.count >= Self.maximumWorkerCount { workerScripts = [] }
            workerScripts.insert(request.url)
        }
        if request.isWorkerScript || workerScripts.contains(request.headers["referer"] ?? "") {
            // No page starts: where one has the version already, no start is counted for it.
            let active = try await activeVersion(of: package)
            if let known = sites.last(where: { $0.session.package == package && $0.session.version == active }) {
                return .installed(known)
            }
        } else if !request.wantsPage,
            let found = sites.last(where: { $0.session.package == package && $0.session.loadToken == token })
        {
            return .installed(found)
        }
        let session: PackUpdater.PackageSession
        switch try await updater.open(package) {
        case .unavailable(let absence): return .unavailable(absence)
        case .installed(let opened), .installing(let opened): session = opened
        }
        if let known = sites.last(where: { $0.session === session }) { return .installed(known) }
        // A version that does not change needs one pin, whoever opens it.
        if let same = sites.last(where: { $0.session.package == package && $0.session.version == session.version }),
            try await !isUnconfirmed(package)
        {
            return .installed(same)
        }
        let site = OpenSite(session: session, pages: PageDirectory(PinnedSite(session: session)))
        sites = (sites + [site]).suffix(Self.limit)
        return .installed(site)
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
    var isInstalling: Bool { session.isInstalling }
    func file(for digest: Digest) throws -> URL { session.file(for: digest) }
    func fetch(_ digest: Digest) async throws { try await session.fetch(digest) }

    var settings: WebSettings {
        WebSettings(packages: [session.package: WebSettings.Package(origins: manifest.origins)])
    }

    func content(of package: PackageID) throws -> (any SiteContent)? { package == session.package ? self : nil }
}

/// A package of which nothing may be shown, for the resolver.
struct AbsentSite: SiteCatalog {
    let settings: WebSettings

    init(_ package: PackageID, _ absence: UnavailablePackage) {
        let why = WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable)
        settings = WebSettings(packages: [package: WebSettings.Package(absence: why)])
    }

    func content(of package: PackageID) throws -> (any SiteContent)? { nil }
}
