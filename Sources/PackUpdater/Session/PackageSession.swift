public import Foundation
public import PackFormat
import PackSystem

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
    /// The folder of the site's files; it is not there while the version installs itself.
    public let folder: URL
    private let layout: StoreLayout
    private let pin: FileLock
    /// What brings files that are not here yet; nil for a version that was installed when it was opened.
    let arrival: PackageArrival?

    init(
        package: PackageID, manifest: Manifest, loadToken: String, layout: StoreLayout, pin: FileLock,
        arrival: PackageArrival? = nil
    ) {
        self.package = package
        self.version = manifest.version
        self.manifest = manifest
        self.loadToken = loadToken
        self.layout = layout
        self.pin = pin
        self.arrival = arrival
        folder = layout.tree(package, manifest.version)
    }

    /// The file at a path of the site; nil where the manifest has none.
    public func file(at path: PackagePath) -> URL? {
        manifest.files[path].map { _ in folder.appending(path: path.text) }
    }

    /// The bytes of one of the manifest's objects; they are there when ``fetch(_:)`` has returned.
    public func file(for digest: Digest) -> URL { layout.object(digest) }

    /// Whether files of the version may not be here yet: ``fetch(_:)`` brings them.
    public var isInstalling: Bool { arrival?.isOver == false }

    /// Brings one of the manifest's objects here. It has the signed digest and size when this returns; at once for what
    /// is here already.
    /// - Throws: ``UpdateError`` with what is not here and why; the page must get an error then.
    public func fetch(_ digest: Digest) async throws {
        guard let arrival else { return }
        try await arrival.fetch(digest)
    }
}

/// What opening a package gives.
public enum OpenedPackage: Sendable {
    /// A version that is installed whole.
    case installed(PackageSession)
    /// No version was here. This one's signed manifest is, and the rest comes while its pages use it: ask
    /// ``PackageSession/fetch(_:)`` for a file before it is read. When all is here the version is the active one.
    case installing(PackageSession)
    /// Nothing may be shown but a page that says so: there is no manifest that its publisher signed.
    case unavailable(UnavailablePackage)

    /// The session of a version that may be shown.
    public var session: PackageSession? {
        switch self {
        case .installed(let session), .installing(let session): session
        case .unavailable: nil
        }
    }
}

/// Why a package has no page on this device.
public struct UnavailablePackage: Hashable, Sendable {
    /// A sentence for the page that is shown instead, and for the log.
    public let why: String
    /// Whether only the network was missing: asking again may help.
    public let isUnreachable: Bool
    /// The addresses, from a manifest that its publisher signed, under which the package's own web site answers; for a
    /// package whose gate is off.
    public let origins: [String]

    init(why: String, isUnreachable: Bool = false, origins: [String] = []) {
        self.why = why
        self.isUnreachable = isUnreachable
        self.origins = origins
    }
}
