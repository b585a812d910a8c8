public import PackFormat

/// What a ``VersionTrial`` asks of the view that shows the package.
@MainActor
public protocol TrialView: AnyObject {
    /// Whether a page of somebody else is on view, such as one to log in: it is not taken away.
    var isElsewhere: Bool { get }
    /// Names the load of a version that is on view; nil where another page is, or none yet.
    func load(of version: Digest) -> Int?
    /// Whether the page on view answers within a time; false for one that hangs.
    func isAnswering(within time: Duration) async -> Bool
    /// The version does not work. The view says so and calls ``VersionTrial/goBack(from:reason:)``.
    func versionFailed(_ fault: TrialFault)
}

/// Why a version does not work.
public enum TrialFault: Hashable, Sendable {
    /// It was not confirmed within its time.
    case late(Digest)
    /// Its page on view has not answered for this time.
    case hangs(Duration)
}

/// A version that was left, and the one that is active now.
public struct WentBack: Hashable, Sendable {
    public let from: SemanticVersion
    /// nil: none.
    public let to: SemanticVersion?
}
