/// How a page's request is answered, and why.
public struct SiteAnswer: Sendable {
    public enum Disposition: Hashable, Sendable {
        case local(SiteResponse)
        /// The file is in the version's manifest and not on the device yet: ask the arrival for the answer.
        case arriving(SiteArrival)
        /// The request goes to this URL, with its method, headers and body.
        case online(String)
    }

    /// Why: one word, stable, for reports.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// The device has the file.
        case installed
        /// The file comes while the page waits: its version is installing itself.
        case installing
        /// The URL is no package's.
        case foreign
        /// The package is switched off.
        case gate
        /// A rule of ``WebRules`` decided.
        case rule
        /// The path belongs to a service: by the package's signed `api`, or by the rules'.
        case api
        /// No version of the package is installed.
        case notInstalled
        /// The version does not have the path.
        case notInVersion
        /// It is a service worker's script, and the version does not say `serviceWorker`.
        case worker
        /// The method is not GET or HEAD.
        case method
        /// No site can have the path, or no package the host.
        case refused
        /// The file on the disk is not the one that was installed.
        case damaged
    }

    /// Counts the requests of a page; names this one when it ends.
    public let number: Int
    public let way: Disposition
    public let reason: Reason
}
