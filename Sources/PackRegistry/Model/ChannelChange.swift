package import PackFormat

/// One change to what a channel offers for a package.
package enum ChannelChange: Hashable, Sendable {
    /// Offers a published version as the newest release.
    case offer(SemanticVersion, Rollout)
    /// Offers what another channel's newest full release offers (`packtool promote`).
    case promote(SemanticVersion?, from: ChannelName)
    /// Changes the newest release's share.
    case percent(Rollout)
    /// Goes back to a version; nil: to the newest earlier one.
    case rollBack(to: SemanticVersion?)
    /// Goes back to what the app embeds.
    case rollBackToEmbedded
    /// Asks devices on which the newest release failed to try it once more.
    case retry
}

package struct ChannelOutcome: Hashable, Sendable {
    /// False when the channel already offered just this.
    package let isChanged: Bool
    /// Nothing was ever offered on the channel before.
    package let isNewChannel: Bool
    /// The package's releases on the channel now, newest first.
    package let releases: [Release]

    package init(isChanged: Bool, isNewChannel: Bool = false, releases: [Release]) {
        self.isChanged = isChanged
        self.isNewChannel = isNewChannel
        self.releases = releases
    }
}

package enum PublishOutcome: Hashable, Sendable {
    case published
    /// The version was there already with the same content.
    case unchanged
}
