package import PackFormat
package import PackRegistryAPI

/// What is left to offer on a channel, by what it offers already. A channel that somebody has taken over since is left alone.
///
/// Pure: a plan and what the registry says in, the offers out.
package struct ChannelProgress: Hashable, Sendable {
    package let channel: ChannelName
    /// Oldest first.
    package let offers: [ImportPlan.Offer]
    /// Why nothing more is offered, though there is more; nil if all is offered.
    package let reason: String?

    /// - Parameters:
    ///   - present: the package's releases on the channel, newest first.
    ///   - rollback: what was taken back there last.
    ///   - withdrawn: versions that no device may have any more.
    package init(
        _ planned: [ImportPlan.Offer], on channel: ChannelName, present: [Release],
        rollback: RegistryOverview.Rollback?, withdrawn: Set<SemanticVersion>
    ) {
        self.channel = channel
        let planned = planned.filter { !withdrawn.contains($0.version) }
        if let rollback {
            offers = []
            reason =
                "\(channel) was rolled back from \(rollback.from?.description ?? "what the app embeds") by \(rollback.by), and "
                + "stays as it is"
        } else if let newest = present.first {
            guard let place = planned.lastIndex(where: { $0.version == newest.version }) else {
                offers = []
                reason =
                    "\(channel) offers \(newest.version?.description ?? "what the app embeds"), which is not of this export, and "
                    + "stays as it is"
                return
            }
            offers = Array(planned[(place + 1)...])
            reason = nil
        } else {
            offers = planned
            reason = nil
        }
    }
}
