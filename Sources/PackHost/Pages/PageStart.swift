public import PackFormat
public import PackUpdater
public import PackWeb

/// What a view's own page starts with.
public enum PageStart: Sendable {
    /// The device has not answered its document: a page of the network, or one that a service worker or the engine had kept. It
    /// says nothing about the version that is installed, neither good nor bad.
    case foreign
    /// The start is counted; the page may be shown.
    case started(StartedPage)
    /// Its version has used up its starts or its time, or another has taken its place since the page was asked for. None of its
    /// code may run: load the address once more. `now` is the version to show; nil: none.
    case outdated(PackageID, SemanticVersion, now: SemanticVersion?)
}

/// A page whose document the device has answered from one version: the only one that may confirm it.
public struct StartedPage: Sendable {
    public let session: PackageSession
    /// The page's requests, and what became of them.
    public let page: PageSession

    init(session: PackageSession, page: PageSession) {
        self.session = session
        self.page = page
    }

    public var package: PackageID { session.package }
    public var version: SemanticVersion { session.version }
    /// The digest of the version's manifest, which names its content.
    public var digest: Digest { session.manifest.digest }

    /// Scripts and styles that the page has asked for and that its version does not have: it is not ready by its load.
    public var missingParts: [String] { page.report.missingParts }

    /// What the page hook gives to `packtool.confirm()`.
    public var load: PageHook.Load {
        PageHook.Load(package: package.text, version: version.description, token: session.loadToken)
    }

    /// Whether a confirmation is of this page. A frame of the page's own origin speaks for it; one of another package or of a
    /// stranger does not, whatever it knows.
    /// - Parameters:
    ///   - load: what the page said.
    ///   - sender: the origin that the message came from.
    ///   - origin: that of the package's pages in this view.
    public func isConfirmed(by load: PageHook.Load, from sender: String, origin: String) -> Bool {
        sender == origin && load == self.load
    }
}
