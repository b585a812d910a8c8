public import Foundation
public import PackFormat

/// One version of a package, pinned for as long as somebody holds the session: a page keeps the files that it
/// started with, however many updates come meanwhile, and no collection removes them.
///
///     guard case .installed(let session) = try await updater.open(checkout) else { … }
///     let page = session.file(at: try PackagePath("index.html"))
///     // the page reports that it works:
///     try await updater.confirm(checkout, version: session.version, loadToken: session.loadToken)
public final class PackageSession: Sendable {
    public let package: PackageID
    public let version: SemanticVersion
    public let manifest: Manifest
    /// Names this load: what the page must give to confirm its version.
    public let loadToken: String
    /// The folder of the site's files.
    public let folder: URL
    private let layout: StoreLayout
    private let pin: FileLock

    init(package: PackageID, manifest: Manifest, loadToken: String, layout: StoreLayout, pin: FileLock) {
        self.package = package
        self.version = manifest.version
        self.manifest = manifest
        self.loadToken = loadToken
        self.layout = layout
        self.pin = pin
        folder = layout.tree(package, manifest.version)
    }

    /// The file at a path of the site; nil where the manifest has none.
    public func file(at path: PackagePath) -> URL? {
        manifest.files[path].map { _ in folder.appending(path: path.text) }
    }

    /// The bytes of one of the manifest's objects.
    public func file(for digest: Digest) -> URL { layout.object(digest) }
}

/// What opening a package gives.
public enum OpenedPackage: Sendable {
    case installed(PackageSession)
    /// Nothing on the device may be shown: load the pages online.
    /// - Parameters:
    ///   - url: the online copy of the version that the channel offers; nil where none is known.
    ///   - why: a sentence for the log.
    case online(URL?, why: String)
}
