public import PackFormat

/// The view that shows the package, as a ``VersionTrial`` uses it.
@MainActor
public protocol TrialView: AnyObject {
    /// Whether a page of another site is on view, such as a login page: it is not taken away.
    var isElsewhere: Bool { get }
    /// Names the load of a version that is on view; nil if another page is on view, or none yet.
    func load(of version: Digest) -> Int?
    /// Whether the page on view answers within a time; false if it hangs.
    func isAnswering(within time: Duration) async -> Bool
    /// Called when the version does not work. The view shows it and calls ``VersionTrial/goBack(from:reason:)``.
    func versionFailed(_ fault: TrialFault)
}

/// Why a version does not work.
public enum TrialFault: Hashable, Sendable {
    /// It was not confirmed within its time.
    case late(Digest)
    /// Its page on view has not answered for this long.
    case hangs(Duration)
}

/// A version that was left, and the one that is active now.
public struct WentBack: Hashable, Sendable {
    public let from: SemanticVersion
    /// Nil if there is none.
    public let to: SemanticVersion?
}
