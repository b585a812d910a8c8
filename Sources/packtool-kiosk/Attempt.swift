import PackFormat
import PackUpdater
import PackWeb

/// One attempt to show a page.
struct Attempt {
    let number: Int
    var url = ""
    /// The version that the page starts with, where the device itself has answered its document from it; nothing else says
    /// anything about a version.
    var session: PackUpdater.PackageSession?
    /// The page that asks for the document and its parts.
    var page: PageSession?
    var version: String?
    /// Until then the page before it is the one on view, and speaks.
    var hasCommitted = false
    var isReady = false
    var hasFailed = false
    var isOver = false

    /// The manifest's digest of the version that the page started with.
    var digest: Digest? { session?.manifest.digest }
}

/// A version that has to show that it works.
struct Trial {
    let digest: Digest
    let version: SemanticVersion
}
