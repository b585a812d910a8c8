package import PackFormat

/// All facts for a change of one package's releases on one channel, from one consistent read.
package struct ReleaseFacts: Sendable {
    package let package: PackageID
    package let channel: ChannelName
    package let history: ReleaseHistory
    /// The history of the channel that a promotion comes from.
    package let source: ReleaseHistory?
    /// The version that the change is about (``ReleaseRule/version(named:source:)``); nil if it is not published.
    package let version: PublishedVersion?
    /// The id of a release that the change makes.
    package let newID: String

    // For who misspelt a name; empty where that cannot be.

    package var channels: [ChannelName] = []
    /// The packages that were ever offered on the channel in question: the source of a promotion, otherwise the
    /// channel itself.
    package var packages: [PackageID] = []
    /// The package's published versions, newest first.
    package var versions: [SemanticVersion] = []

    package init(
        package: PackageID, channel: ChannelName, history: ReleaseHistory, source: ReleaseHistory? = nil,
        version: PublishedVersion? = nil, newID: String
    ) {
        self.package = package
        self.channel = channel
        self.history = history
        self.source = source
        self.version = version
        self.newID = newID
    }
}
