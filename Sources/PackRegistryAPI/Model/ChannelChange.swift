package import PackFormat

/// One change to what a channel offers for a package.
package enum ChannelChange: Hashable, Sendable {
    /// Offers a published version as the newest release. Without a share, an existing release keeps its share and a
    /// new one is for everyone. Without audiences, an existing release keeps its audiences too.
    /// - Parameter policy: The way devices take it. Nil: an existing release keeps its policy, and a new one has none.
    /// - Parameter consent: The consequences that the caller accepts.
    case offer(SemanticVersion, Rollout? = nil, policy: ClientPolicy? = nil, consent: OfferConsent = [])
    /// Offers the version that another channel's newest release offers to everyone (`packtool promote`).
    case promote(
        SemanticVersion?, from: ChannelName, Rollout = .everyone, policy: ClientPolicy? = nil,
        consent: OfferConsent = [])
    /// Changes the share, the audiences or the policy of the newest release, or of the one that offers this version. A
    /// nil value is not changed; empty audiences mean all devices.
    case setRollout(
        Share?, audiences: [Audience]? = nil, policy: ClientPolicy? = nil, of: SemanticVersion? = nil)
    /// Goes back to a version. Nil: to the newest earlier one.
    case rollBack(to: SemanticVersion?)
    /// Goes back to the version that the app embeds.
    case rollBackToEmbedded
    /// Asks devices on which the newest release failed, or the one that offers this version, to try it once more.
    case retry(of: SemanticVersion? = nil)
    /// Another change, with consequences that the caller accepts; for changes that have no consent of their own.
    indirect case accepting(OfferConsent, ChannelChange)

    /// The change without what the caller accepts.
    package var plain: ChannelChange {
        if case .accepting(_, let change) = self { change.plain } else { self }
    }

    /// What the caller accepts.
    package var consent: OfferConsent {
        switch self {
        case .offer(_, _, _, let consent), .promote(_, _, _, _, let consent): consent
        case .accepting(let consent, let change): consent.union(change.consent)
        case .setRollout, .rollBack, .rollBackToEmbedded, .retry: []
        }
    }
}

/// The consequences of an offer that the caller accepts. Without the consent the registry refuses the offer, so that
/// a repeated CI job does not cause them silently.
package struct OfferConsent: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The channel was rolled back from this version; for a rollback, the package went back with its set already.
    package static let again = OfferConsent(rawValue: 1)
    /// The channel offers a higher version, and its devices would go back.
    package static let older = OfferConsent(rawValue: 2)
    /// Devices may have stored data that the version cannot read (``Manifest/State``).
    package static let state = OfferConsent(rawValue: 4)
}

package struct ChannelOutcome: Hashable, Sendable {
    /// False if the channel already offered exactly this.
    package let isChanged: Bool
    /// Whether nothing was ever offered on the channel before.
    package let isNewChannel: Bool
    /// The package's releases on the channel now, newest first.
    package let releases: [Release]
    /// The other packages of the set that was changed as one, with their releases.
    package let others: [PackageID: [Release]]
    /// What it does to devices, in words, with shares; empty if nothing changes.
    package let effect: String
    /// How many others must approve it; 0 if nobody must.
    package let approvals: Int
    /// What follows for plans that are under way, a sentence each.
    package let planNotes: [String]

    package init(
        isChanged: Bool, isNewChannel: Bool = false, releases: [Release], others: [PackageID: [Release]] = [:],
        effect: String = "", approvals: Int = 0, planNotes: [String] = []
    ) {
        self.planNotes = planNotes
        self.effect = effect
        self.approvals = approvals
        self.isChanged = isChanged
        self.isNewChannel = isNewChannel
        self.releases = releases
        self.others = others
    }
}

package enum PublishOutcome: Hashable, Sendable {
    case published
    /// The version was already there with the same content.
    case unchanged
}
