import PackFormat
import PackUpdater
import PackWeb

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers pages from a session of the updater.
struct PinnedVersion: SiteContent {
    let session: PackageSession

    var manifest: Manifest { session.manifest }
    var isInstalling: Bool { session.isInstalling }
    func fetch(_ digest: Digest) async throws { try await session.fetch(digest) }
    func file(for digest: Digest) throws -> URL { session.file(for: digest) }
}

extension WebSettings.Package {
    /// A package of which nothing may be shown but a page that says why.
    init(_ absence: UnavailablePackage, isEnabled: Bool = true) {
        self.init(
            isEnabled: isEnabled, origins: absence.origins,
            absence: WebSettings.Absence(why: absence.why, isUnreachable: absence.isUnreachable))
    }
}
