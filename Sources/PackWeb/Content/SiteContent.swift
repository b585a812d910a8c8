public import PackFormat

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One version of a package, kept in place: whatever is installed or removed meanwhile, its files stay readable until
/// ``close()`` or until the value is deallocated.
public protocol SiteContent: Sendable {
    var manifest: Manifest { get }
    /// The file of an object of the manifest, or of a shared bundle.
    func file(for digest: Digest) throws -> URL
    /// Whether the version is still installing itself, so that a missing file must be fetched with ``fetch(_:)``.
    var isInstalling: Bool { get }
    /// Fetches an object of the manifest. When it returns, the object's file has the signed digest and size.
    func fetch(_ digest: Digest) async throws
    /// Releases the version when the page is gone: it may be removed from now on.
    func close()
}

extension SiteContent {
    public func close() {}
    public var isInstalling: Bool { false }
    public func fetch(_ digest: Digest) async throws {}
}

/// The packages that a device has. The app connects it to its updater.
public protocol SiteCatalog: Sendable {
    /// The settings for the next page. It is read at each page's start, so it must be fast.
    var settings: WebSettings { get }
    /// The version of a package for a page that starts now; nil if the package is not installed.
    func content(of package: PackageID) throws -> (any SiteContent)?
    /// The manifest of that version, if it is known without opening the version. An engine calls it with each
    /// request, so it must be fast and have no effects.
    func manifest(of package: PackageID) -> Manifest?
    /// How requests of a page were answered, as it happens. It is called with each request, so it must be fast.
    /// - Parameter version: of the page's own package.
    func count(_ counters: WebCounters, of package: PackageID, _ version: SemanticVersion)
}

extension SiteCatalog {
    public func manifest(of package: PackageID) -> Manifest? { nil }
    public func count(_ counters: WebCounters, of package: PackageID, _ version: SemanticVersion) {}
}
