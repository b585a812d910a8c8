public import PackFormat

/// What ``LiveUpdateManager/update()`` has done.
public struct LiveUpdateResult: Hashable, Sendable {
    /// The version that pages start with now; nil if none is installed.
    public let version: SemanticVersion?
    /// Whether it is another one than before.
    public let didUpdate: Bool
}
