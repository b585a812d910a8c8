package import PackFormat

/// One change to what a channel offers for a package.
package enum ChannelChange: Hashable, Sendable {
    /// Offers a published version as the newest release. Without a share the release that is there keeps its own, and a
    /// new one is for everyone. A release that is there keeps its audiences too, where none is given.
    /// - Parameter consent: what it may undo.
    case offer(SemanticVersion, Rollout? = nil, consent: OfferConsent = [])
    /// Offers what another channel's newest release offers, which everyone there gets (`packtool promote`).
    case promote(SemanticVersion?, from: ChannelName, Rollout = .everyone, consent: OfferConsent = [])
    /// Changes the share or the audiences of the newest release, or of the one that offers this version. What is nil stays;
    /// no audience means all devices.
    case setRollout(Share?, audiences: [Audience]? = nil, of: SemanticVersion? = nil)
    /// Goes back to a version; nil: to the newest earlier one.
    case rollBack(to: SemanticVersion?)
    /// Goes back to what the app embeds.
    case rollBackToEmbedded
    /// Asks devices on which the newest release failed, or the one that offers this version, to try it once more.
    case retry(of: SemanticVersion? = nil)
}

/// What an offer may undo. Without it the registry refuses, because a CI job that runs once more must not do so in silence.
package struct OfferConsent: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The version was rolled back over on this channel.
    package static let again = OfferConsent(rawValue: 1)
    /// The channel offers a higher version, and its devices would go back.
    package static let older = OfferConsent(rawValue: 2)
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
