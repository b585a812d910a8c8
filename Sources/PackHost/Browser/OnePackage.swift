import PackFormat
import PackUpdater
import PackWeb

/// One version of one package, or the reason why there is none, for pages that use nothing else.
struct OnePackage: SiteCatalog {
    let settings: WebSettings
    private let version: PinnedVersion?

    /// - Parameter settings: the host's, whose rules hold here too.
    init(_ session: PackageSession, _ settings: WebSettings) {
        self.settings = settings.of(session.package, WebSettings.Package(origins: session.manifest.origins))
        version = PinnedVersion(session: session)
    }

    init(_ absence: UnavailablePackage, of package: PackageID, _ settings: WebSettings) {
        let why = WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable)
        self.settings = settings.of(package, WebSettings.Package(absence: why))
        version = nil
    }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        package == version?.session.package ? version : nil
    }
}

extension WebSettings {
    fileprivate func of(_ id: PackageID, _ package: Package) -> WebSettings {
        var settings = self
        settings.packages = [id: package]
        return settings
    }
}
