public import PackFormat

/// An update that ``LiveUpdateManager/update()`` could not do, and why. What ran before still runs.
public struct LiveUpdateError: Error, Hashable, CustomStringConvertible {
    public let package: PackageID
    /// A sentence for the app's log.
    public let reason: String

    public var description: String { "\(package) was not updated: \(reason)" }
}
