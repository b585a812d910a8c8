import PackFormat
import PackUpdater
import PackWeb

/// One version of one package, or the reason why there is none, for pages that use nothing else.
struct OnePackage: SiteCatalog {
    let settings: WebSettings
    private let version: PinnedVersion?
    /// Counts for all pages.
    private let host: HostPackages

    /// - Parameter host: Its rules hold here too.
    init(_ session: PackageSession, _ host: HostPackages) {
        self.host = host
        settings = host.settings.of(session.package, WebSettings.Package(origins: session.manifest.origins))
        version = PinnedVersion(session: session)
    }

    init(_ absence: UnavailablePackage, of package: PackageID, _ host: HostPackages) {
        self.host = host
        let why = WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable)
        settings = host.settings.of(package, WebSettings.Package(absence: why))
        version = nil
    }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        package == version?.session.package ? version : nil
    }

    func count(_ counters: WebCounters, of package: PackageID, _ version: SemanticVersion) {
        host.count(counters, of: package, version)
    }
}

extension WebSettings {
    fileprivate func of(_ id: PackageID, _ package: Package) -> WebSettings {
        var settings = self
        settings.packages = [id: package]
        return settings
    }
}
