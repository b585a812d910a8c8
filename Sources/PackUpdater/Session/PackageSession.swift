public import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One version of a package, pinned while the session exists. A page keeps the files that it started with, however
/// many updates come meanwhile, and no garbage collection removes them.
///
///     guard case .installed(let session) = try await updater.open(checkout) else { … }
///     let page = session.file(at: try PackagePath("index.html"))
///     // the page reports that it works:
///     try await updater.confirm(checkout, version: session.version, loadToken: session.loadToken)
public final class PackageSession: Sendable {
    public let package: PackageID
    public let version: SemanticVersion
    public let manifest: Manifest
    /// The name of this load. The page must give it to confirm its version.
    public let loadToken: String
    /// The folder of the site's files. It does not exist while the version installs itself.
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

    /// The file at a path of the site; nil if the manifest has none.
    public func file(at path: PackagePath) -> URL? {
        manifest.files[path].map { _ in folder.appending(path: path.text) }
    }

    /// The file of one of the manifest's objects. It exists when ``fetch(_:)`` has returned.
    public func file(for digest: Digest) -> URL { layout.object(digest) }

    /// Whether files of the version may be missing; ``fetch(_:)`` fetches them.
    public var isInstalling: Bool { arrival?.isOver == false }

    /// Fetches one of the manifest's objects. When it returns, the object has the signed digest and size. Returns at
    /// once if the object is in the store.
    /// - Throws: ``UpdateError``, which says what is missing and why. The page must then get an error.
    public func fetch(_ digest: Digest) async throws {
        guard let arrival else { return }
        try await arrival.fetch(digest)
    }
}

/// The result of opening a package.
public enum OpenedPackage: Sendable {
    /// A version that is completely installed.
    case installed(PackageSession)
    /// No version was installed. The signed manifest of this one is here, and its pages install the rest while they
    /// are used: call ``PackageSession/fetch(_:)`` before reading a file. When everything is here, the version
    /// becomes active.
    case installing(PackageSession)
    /// There is no manifest that the publisher signed, so the app may only show a page that says so.
    case unavailable(UnavailablePackage)

    /// The session of a version that may be shown; nil if there is none.
    public var session: PackageSession? {
        switch self {
        case .installed(let session), .installing(let session): session
        case .unavailable: nil
        }
    }
}

/// Why a package has no page on this device.
public struct UnavailablePackage: Hashable, Sendable {
    /// A sentence for the page that the app shows instead, and for the log.
    public let why: String
    /// Whether only the network was missing, so that another try may succeed.
    public let isUnreachable: Bool
    /// For a package whose gate is off: the addresses at which its own web site answers, from a manifest that its
    /// publisher signed.
    public let origins: [String]

    init(why: String, isUnreachable: Bool = false, origins: [String] = []) {
        self.why = why
        self.isUnreachable = isUnreachable
        self.origins = origins
    }
}
