public import PackFormat
public import PackUpdater
public import PackWeb

/// How a view's own page starts.
public enum PageStart: Sendable {
    /// The device did not answer the document: it came from the network, a service worker or the engine's cache. The
    /// page says nothing about the installed version, neither good nor bad.
    case foreign
    /// The start is counted; the page may be shown.
    case started(StartedPage)
    /// The page's version has used up its starts or its time, or another version has replaced it since the request.
    /// None of its code may run: load the address once more. `now` is the version to show; nil if there is none.
    case outdated(PackageID, SemanticVersion, now: SemanticVersion?)
}

/// A page whose document the device has answered from one version. Only this page may confirm that version.
public struct StartedPage: Sendable {
    public let session: PackageSession
    /// The page's requests, and how they were answered.
    public let page: PageSession

    init(session: PackageSession, page: PageSession) {
        self.session = session
        self.page = page
    }

    public var package: PackageID { session.package }
    public var version: SemanticVersion { session.version }
    /// The digest of the version's manifest, which names its content.
    public var digest: Digest { session.manifest.digest }

    /// Scripts and styles that the page requested and its version does not have. Such a page is not ready when it has
    /// loaded.
    public var missingParts: [String] { page.report.missingParts }

    /// The load that the page hook passes to `packtool.confirm()`.
    public var load: PageHook.Load {
        PageHook.Load(package: package.text, version: version.description, token: session.loadToken)
    }

    /// Whether a confirmation belongs to this page. A frame of the page's own origin may confirm it; a frame of
    /// another package or a foreign origin may not, whatever it knows.
    /// - Parameters:
    ///   - load: the load that the page reported.
    ///   - sender: the origin that the message came from.
    ///   - origin: the origin of the package's pages in this view.
    public func isConfirmed(by load: PageHook.Load, from sender: String, origin: String) -> Bool {
        sender == origin && load == self.load
    }
}
