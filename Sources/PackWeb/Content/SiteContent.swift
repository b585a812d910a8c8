public import Foundation
public import PackFormat

/// One version of a package, held in place: whatever installs or cleans up meanwhile, its files stay readable until
/// ``close()`` or the value's end.
public protocol SiteContent: Sendable {
    var manifest: Manifest { get }
    /// The file that holds an object of the manifest, shared ones included.
    func file(for digest: Digest) throws -> URL
    /// Whether the version is still installing itself, so that a file which is not there is to be asked for by
    /// ``fetch(_:)``.
    var isInstalling: Bool { get }
    /// Brings an object of the manifest to its file. It has the signed digest and size when this returns.
    func fetch(_ digest: Digest) async throws
    /// The page is gone: the version may be cleaned up.
    func close()
}

extension SiteContent {
    public func close() {}
    public var isInstalling: Bool { false }
    public func fetch(_ digest: Digest) async throws {}
}

/// What a device has: the app joins this to its updater.
public protocol SiteCatalog: Sendable {
    /// What holds from the next page on. Read once at each page's start, so it must be quick.
    var settings: WebSettings { get }
    /// The version of a package that a page which starts now should get; nil where it is not installed.
    func content(of package: PackageID) throws -> (any SiteContent)?
    /// The manifest of that version, as far as it is known without opening it; nil where it is not. It is asked for with
    /// each request of an engine: quick, and without any effect.
    func manifest(of package: PackageID) -> Manifest?
}

extension SiteCatalog {
    public func manifest(of package: PackageID) -> Manifest? { nil }
}
