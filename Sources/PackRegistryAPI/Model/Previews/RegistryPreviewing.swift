package import PackFormat

/// Says what a change would do, and does nothing.
///
/// The registry decides as it does for the change itself, so a change that it would refuse is refused here with the same error.
package protocol RegistryPreviewing: Sendable {
    /// - Parameter versions: versions that are to be published before.
    /// - Parameter counts: whether the effect tells how many devices reported; a server tells it in any case.
    func preview(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, assuming versions: [AssumedVersion],
        counting counts: Bool
    ) async throws -> ChannelOutcome

    func preview(
        _ set: ReleaseSet, on channel: ChannelName, assuming versions: [AssumedVersion], counting counts: Bool
    ) async throws -> ReleaseSetOutcome

    /// A withdrawal, without the publisher's role: nothing that is signed is sent before it is meant.
    /// - Returns: what becomes of each channel that offers the version.
    func previewWithdrawal(
        of version: SemanticVersion, of package: PackageID, reason: String
    ) async throws -> [ChannelName: ChannelOutcome]
}

extension RegistryPreviewing {
    package func preview(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, assuming versions: [AssumedVersion]
    ) async throws -> ChannelOutcome {
        try await preview(change, of: package, on: channel, assuming: versions, counting: true)
    }

    package func preview(
        _ set: ReleaseSet, on channel: ChannelName, assuming versions: [AssumedVersion]
    ) async throws -> ReleaseSetOutcome { try await preview(set, on: channel, assuming: versions, counting: true) }
}
