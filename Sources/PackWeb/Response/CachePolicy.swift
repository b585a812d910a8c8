import PackFormat

/// What a cache may do with an answer of the device, for each kind of resource.
///
/// The version can change under the same address, so pages and what steers a page (its workers' scripts, its web app
/// manifest) are always revalidated, whatever the package says: an old page over a new version is the fault that this
/// product must prevent. Other files may be kept as long as the package's own `cache-control` says, which a build
/// sets for files with a digest in their names. Without it they are revalidated too, and the tag makes that cheap.
/// Online answers are not cached here: their own headers reach the page.
enum CachePolicy {
    static let field = "cache-control"
    static let revalidate = "no-cache"

    /// - Parameter wanted: the `cache-control` of the package's own headers.
    static func value(for path: PackagePath, request: SiteRequest, wanted: String?) -> String {
        guard let wanted else { return revalidate }
        // It asks for more than we do.
        let isStrict = wanted.lowercased().split(separator: ",").contains { $0.filter { $0 != " " } == "no-store" }
        return isStrict || !steersPage(path, request) ? wanted : revalidate
    }

    private static func steersPage(_ path: PackagePath, _ request: SiteRequest) -> Bool {
        let type = MediaType(of: path).description.prefix { $0 != ";" }
        if ["text/html", "application/xhtml+xml", "application/manifest+json"].contains(String(type)) { return true }
        return request.isWorkerScript
    }
}
