public import PackFormat
public import PackUpdater
public import PackWeb

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pages of a view, from the navigation to the confirmation.
extension PackHost {
    /// The package that a URL names by one of the schemes or below `.package`, installed or not.
    public func package(of url: String) -> PackageID? {
        guard let parts = URLComponents(string: url), let host = parts.host?.lowercased() else { return nil }
        let scheme = parts.scheme?.lowercased() ?? ""
        if packages.settings.schemes.contains(scheme) { return try? PackageID(host) }
        let suffix = "." + SiteAddress.virtualSuffix
        guard scheme == "https", host.hasSuffix(suffix) else { return nil }
        return try? PackageID(String(host.dropLast(suffix.count)))
    }

    /// Call it before a navigation in any frame. It reads the present state of the store and makes a package ready
    /// that is not installed. It counts no start.
    /// - Returns: what became of a package that was not here; nil if a version is.
    /// - Throws: `UpdateError` where the store cannot be read. The navigation may go on: its page says why.
    @discardableResult
    public func prepareNavigation(to package: PackageID) async throws -> OpenedPackage? {
        try await refresh()
        guard packages.session(of: package) == nil else { return nil }
        return try await prepare(package)
    }

    /// Call it when the navigation of the view's main frame has its answer and none of its code has run: this is the
    /// moment to count the start of its version.
    /// - Parameters:
    ///   - documentKey: The answer's field `PageSession.documentField`; nil if it has none. Through the proxy an answer
    ///     without it is not the device's.
    ///   - pages: The pages of the view's adapter. The document is removed from them: call this once for each answer.
    public func startPage(
        at url: String, documentKey: String?, from pages: any PageSource
    ) async throws -> PageStart {
        guard let package = package(of: url), let page = pages.takeDocument(of: url, key: documentKey),
            let manifest = page.manifest(of: package)
        else { return .foreign }
        let opened = try await open(package).session
        guard let session = opened, session.manifest.digest == manifest.digest else {
            return .outdated(package, manifest.version, now: opened?.version)
        }
        return .started(StartedPage(session: session, page: page))
    }

    /// Confirms that a page works, on behalf of the page or the app. If the version is still installing itself, the
    /// confirmation is kept until all of it is here.
    /// - Throws: `UpdateError.notConfirmed` if another version or load has replaced it.
    public func confirm(_ page: StartedPage) async throws {
        try await updater.confirm(page.package, version: page.version, loadToken: page.session.loadToken)
    }

    /// Confirms a version for a page that reports it through the page hook or a program.
    /// - Throws: `FormatError` for an invalid package or version; `UpdateError.notConfirmed` if the version or load
    ///   is not the active one's.
    public func confirm(_ load: PageHook.Load) async throws {
        try await updater.confirm(
            PackageID(load.package), version: SemanticVersion(load.version), loadToken: load.token)
    }
}
