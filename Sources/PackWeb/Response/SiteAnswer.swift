/// How a page's request is answered, and why.
public struct SiteAnswer: Sendable {
    public enum Disposition: Hashable, Sendable {
        case local(SiteResponse)
        /// The file is in the version's manifest and not on the device yet: the arrival has the answer.
        case arriving(SiteArrival)
        /// The request goes to this URL, with its method, headers and body.
        case online(String)
    }

    /// The reason in one stable word, for reports.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// The device has the file.
        case installed
        /// The file is fetched while the page waits, because its version is installing itself.
        case installing
        /// The URL does not belong to a package.
        case foreign
        /// The package's feature gate is off.
        case gate
        /// A rule of `WebRules` decided.
        case rule
        /// The path belongs to a service, by the package's signed `api` or by the rules.
        case api
        /// No version of the package is installed.
        case notInstalled
        /// The version does not have the path.
        case notInVersion
        /// The request is for a service worker's script, and the version does not have `serviceWorker`.
        case worker
        /// The method is not GET or HEAD.
        case method
        /// No site can have the path, or no package can have the host.
        case refused
        /// The file on the disk differs from the one that was installed.
        case damaged
    }

    /// The number of this request among those of the page; names it when it ends.
    public let number: Int
    public let way: Disposition
    public let reason: Reason
}
