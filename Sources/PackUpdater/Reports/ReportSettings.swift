#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How a device reports what becomes of updates on it. Nothing is reported unless the app says so, by setting
/// ``UpdaterConfiguration/reports``.
///
/// A report has codes, versions and numbers under a random id: no URL, no content, nothing about the user, and nothing about
/// the device unless ``includesFacts`` is set.
public struct ReportSettings: Hashable, Sendable {
    /// Where to send reports; nil: to the registry, at `v1/reports` below ``UpdaterConfiguration/base``.
    public var address: URL?
    /// How long an event waits for a connection before it is dropped, in days.
    public var keepDays = 7
    /// After how many days the device makes a new report id.
    public var idDays = 30
    /// Whether the device also reports its platform, its app's version and the first two numbers of its system's version,
    /// with the versions of packages that it has. `packtool stats` then shows what devices there are, and `packtool
    /// simulate` can take them for its population.
    public var includesFacts: Bool

    public init(address: URL? = nil, includesFacts: Bool = false) {
        self.address = address
        self.includesFacts = includesFacts
    }
}
