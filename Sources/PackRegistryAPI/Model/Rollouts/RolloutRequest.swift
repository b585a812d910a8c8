package import PackFormat

/// What somebody asks of the rollout of one package on one channel.
///
/// Each may be sent twice: what is so already is not changed once more.
package struct RolloutRequest: Hashable, Sendable {
    package enum Verb: Hashable, Sendable {
        /// Puts a plan on the newest release, or offers the version that is named under it, to no device yet.
        case plan(RolloutPlan, audiences: [Audience]? = nil, consent: OfferConsent = [])
        /// Takes the first step now, whatever the plan's start and office hours are.
        case start
        /// No step is taken until somebody says resume.
        case pause
        case resume
        /// Takes a step now, by its number from 1; nil: the next one.
        case advance(to: Int? = nil)
        /// As pause, for a release that is not well.
        case halt
        /// Everybody gets the release now.
        case complete
        /// Takes the release back: devices go to the one before it.
        case rollBack
        /// Lets devices on which the release failed try it once more.
        /// - Parameter generation: how often they were asked then; nil: once more than now.
        case retry(generation: Int? = nil)
    }

    package let verb: Verb
    /// nil: the newest release with a plan that devices get or will get, else the newest; of ``Verb/retry(generation:)`` what they get.
    package let version: SemanticVersion?
    /// For the audit log; empty for none.
    package let reason: String
    /// Says what would be done, and does nothing.
    package let isDryRun: Bool
    /// Also where devices may have stored data that the version which they get cannot read.
    package let isDespiteState: Bool

    package init(
        _ verb: Verb, of version: SemanticVersion? = nil, reason: String = "", isDryRun: Bool = false,
        isDespiteState: Bool = false
    ) {
        self.verb = verb
        self.isDespiteState = isDespiteState
        self.version = version
        self.reason = reason
        self.isDryRun = isDryRun
    }
}
