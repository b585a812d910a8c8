public import PackFormat

/// What an updater is doing, for an app that shows it: ``Updater/updateEvents()``.
public enum UpdateEvent: Hashable, Sendable {
    /// An update began to look for what the channel offers.
    case checking
    case progress(UpdateProgress)
    /// The update is over; its report says what became of each package.
    case finished(UpdateReport)
    /// Nothing could be decided, and why: no network, metadata that is not trusted, a full disk.
    case failed(String)
}

/// How far a package is.
public struct UpdateProgress: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable {
        case downloading
        /// Everything came; it is verified and unpacked.
        case unpacking
        /// The version's files are linked.
        case installing
    }

    public let package: PackageID
    public let version: SemanticVersion
    public let phase: Phase
    /// Bytes that came, with those of an attempt before that a download continues.
    public let received: Int
    /// Bytes that the server announced; nil while it has not. They grow if a way of download fails and another is taken.
    public let expected: Int?

    public init(
        package: PackageID, version: SemanticVersion, phase: Phase, received: Int = 0, expected: Int? = nil
    ) {
        self.package = package
        self.version = version
        self.phase = phase
        self.received = received
        self.expected = expected
    }
}
