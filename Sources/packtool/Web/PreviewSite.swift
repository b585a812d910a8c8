import Foundation
import PackBuilder
import PackFormat
import PackWeb
import Synchronization

/// A dist folder for a preview, as if it were installed on a device. Each page gets the folder as it was when the
/// page started.
final class PreviewSite: SiteCatalog {
    private struct Snapshot: SiteContent {
        let preview: DistPreview

        var manifest: Manifest { preview.manifest }

        func file(for digest: Digest) throws -> URL {
            guard let url = preview.locations[digest] else {
                throw CommandFailure("the file was removed from the folder")
            }
            return url
        }
    }

    private let current: Mutex<DistPreview>

    init(_ preview: DistPreview) {
        current = Mutex(preview)
    }

    var manifest: Manifest { current.withLock { $0.manifest } }

    var guessedBase: BasePath? { current.withLock { $0.guessedBase } }

    /// Reads what has changed in the folder. While a build is writing it, it may be no site: then the last one stays.
    func refresh() throws {
        if let new = try current.withLock({ $0 }).refreshed() { current.withLock { $0 = new } }
    }

    var settings: WebSettings {
        let manifest = manifest
        return WebSettings(packages: [manifest.package: WebSettings.Package(origins: manifest.origins)])
    }

    func manifest(of package: PackageID) -> Manifest? {
        let manifest = manifest
        return manifest.package == package ? manifest : nil
    }

    func content(of package: PackageID) throws -> (any SiteContent)? {
        let preview = current.withLock { $0 }
        return preview.manifest.package == package ? Snapshot(preview: preview) : nil
    }
}
