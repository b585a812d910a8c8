package import PackFormat

/// Versions of several packages that a channel shall offer as one: devices get all of them or none.
package struct ReleaseSet: Hashable, Sendable {
    /// At least one. A device writes down all of a set at once.
    package static let maximumCount = ChannelFile.maximumPackageCount

    package let versions: [PackageID: SemanticVersion]
    /// nil: a set that is offered already keeps its share, a new one is for everyone.
    package let rollout: Rollout?
    /// What it may undo.
    package let consent: OfferConsent

    package init(versions: [PackageID: SemanticVersion], rollout: Rollout? = nil, consent: OfferConsent = []) {
        self.versions = versions
        self.rollout = rollout
        self.consent = consent
    }
}

/// What became of a set.
package struct ReleaseSetOutcome: Hashable, Sendable {
    /// False when the channel already offered just this.
    package let isChanged: Bool
    /// Nothing was ever offered on the channel before.
    package let isNewChannel: Bool
    /// nil where a single package of it was new to the channel, which needs no set.
    package let set: String?
    /// The releases of each package on the channel now, newest first.
    package let releases: [PackageID: [Release]]
    /// What it does to devices, in words, with shares; empty if nothing changes.
    package let effect: String
    /// How many others must approve it; 0 if nobody must.
    package let approvals: Int
    /// What follows for plans that are under way, a sentence each.
    package let planNotes: [String]

    package init(
        isChanged: Bool, isNewChannel: Bool = false, set: String?, releases: [PackageID: [Release]],
        effect: String = "", approvals: Int = 0, planNotes: [String] = []
    ) {
        self.planNotes = planNotes
        self.effect = effect
        self.approvals = approvals
        self.isChanged = isChanged
        self.isNewChannel = isNewChannel
        self.set = set
        self.releases = releases
    }
}
