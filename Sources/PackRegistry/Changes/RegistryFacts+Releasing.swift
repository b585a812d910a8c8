import PackFormat
import PackRegistryAPI

extension RegistryFacts {
    /// The releases of a package that a change is about, or of one that was ever in a set with it.
    func history(of package: PackageID, on channel: ChannelName) -> ReleaseHistory {
        companions[channel]?[package] ?? histories[channel] ?? ReleaseHistory()
    }

    /// What ``ReleaseRule`` goes by.
    /// - Parameters:
    ///   - source: the channel that a promotion comes from.
    ///   - ids: of what the change may make.
    func releaseFacts(
        for change: ChannelChange, of package: PackageID, on channel: ChannelName, source: ChannelName? = nil,
        ids: ReleaseIDs
    ) -> ReleaseFacts {
        let source = source.map { histories[$0] ?? ReleaseHistory() }
        let named = ReleaseRule.version(named: change, source: source)
        var result = ReleaseFacts(
            package: package, channel: channel, history: histories[channel] ?? ReleaseHistory(), source: source,
            version: named.flatMap { versions[VersionName(package, $0)] },
            newID: ids.release(0))
        result.channels = channelNames
        result.packages = packageNames
        result.versions = versionNames
        return result
    }

    /// A group that the channel does not have admits nobody: a misspelt name must not go out as a release.
    /// - Throws: ``RegistryError`` of the kind `.notFound`.
    func requireGroups(of audiences: [Audience], on channel: ChannelName) throws {
        try GroupCheck.require(audiences, known: channelFiles[channel]?.groups.keys.map(\.self) ?? [], on: channel)
    }
}
