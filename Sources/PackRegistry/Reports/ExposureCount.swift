package import PackFormat

/// Which devices are counted for a gate: those on which a version became active.
package struct ExposureQuery: Hashable, Sendable {
    package let channel: ChannelName
    package let package: PackageID
    package let version: SemanticVersion
    /// The release that brought it; nil: any.
    package let release: String?
    /// Seconds since 1970; activations before it are left out.
    package let from: Int
    /// Seconds since 1970; devices on which it became active before this have had their time.
    package let matureBefore: Int

    package init(
        channel: ChannelName, package: PackageID, version: SemanticVersion, release: String?, from: Int,
        matureBefore: Int
    ) {
        self.channel = channel
        self.package = package
        self.version = version
        self.release = release
        self.from = from
        self.matureBefore = matureBefore
    }
}

/// Devices of one network that stand alike with a version.
package struct ExposureCount: Hashable, Sendable {
    /// A number for the network, which many others share; nil: it is not known.
    package let network: Int?
    package let isMature: Bool
    package let outcome: StandingCount.Outcome?
    package let devices: Int

    package init(network: Int?, isMature: Bool, outcome: StandingCount.Outcome?, devices: Int) {
        self.network = network
        self.isMature = isMature
        self.outcome = outcome
        self.devices = devices
    }
}
