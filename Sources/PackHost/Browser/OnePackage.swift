import PackFormat
import PackUpdater
import PackWeb

/// One version of one package, or the word that there is none, for pages that know nothing else.
struct OnePackage: SiteCatalog {
    let settings: WebSettings
    private let version: PinnedVersion?

    init(_ session: PackageSession) {
        let package = WebSettings.Package(origins: session.manifest.origins)
        settings = WebSettings(packages: [session.package: package])
        version = PinnedVersion(session: session)
    }

    init(_ absence: UnavailablePackage, of package: PackageID) {
        let absent = WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable)
        settings = WebSettings(packages: [package: WebSettings.Package(absence: absent)])
        version = nil
    }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        package == version?.session.package ? version : nil
    }
}
