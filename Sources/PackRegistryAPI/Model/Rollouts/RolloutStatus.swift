package import Foundation
package import PackFormat

/// Where the rollout of a release is.
package struct RolloutStatus: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The plan has not begun.
        case scheduled
        case running
        case paused
        case halted
        case completed
        /// The release was taken back.
        case rolledBack
    }

    package struct Step: Hashable, Sendable {
        package let share: Share
        package let time: PlanDuration?
        /// When the release had this share first.
        package let reached: Date?
        /// When it will, as far as the plan tells.
        package let expected: Date?

        package init(share: Share, time: PlanDuration?, reached: Date?, expected: Date?) {
            self.share = share
            self.time = time
            self.reached = reached
            self.expected = expected
        }
    }

    /// What the runner does next.
    package struct Next: Hashable, Sendable {
        /// nil: the share stays.
        package let share: Share?
        /// nil: when somebody says so.
        package let date: Date?
        package let reason: String
        /// It is taken by itself as soon as the gate lets it, whenever that is.
        package let isGated: Bool

        package init(share: Share?, date: Date?, reason: String, isGated: Bool = false) {
            self.share = share
            self.date = date
            self.reason = reason
            self.isGated = isGated
        }
    }

    /// A package of a set, whose plan is one.
    package struct Member: Hashable, Sendable {
        package let package: PackageID
        /// nil: what the app embeds.
        package let version: SemanticVersion?

        package init(package: PackageID, version: SemanticVersion?) {
            self.package = package
            self.version = version
        }
    }

    package let package: PackageID
    package let channel: ChannelName
    /// The id of the release.
    package let release: String
    /// nil: what the app embeds.
    package let version: SemanticVersion?
    package let state: State
    /// Why it is in this state, who brought it there, and when.
    package let reason: String
    package let actor: String
    package let since: Date
    package let share: Share
    package let plan: RolloutPlan
    package let steps: [Step]
    package let next: Next
    /// What the gate of the present step sees; nil where it has none.
    package let gate: GateReading?
    /// The packages that the plan is for, by their names, this one among them; empty for a release of no set.
    package let set: [Member]

    package init(
        package: PackageID, channel: ChannelName, release: String, version: SemanticVersion?, state: State,
        reason: String, actor: String, since: Date, share: Share, plan: RolloutPlan, steps: [Step], next: Next,
        gate: GateReading? = nil, set: [Member] = []
    ) {
        self.package = package
        self.channel = channel
        self.release = release
        self.version = version
        self.state = state
        self.reason = reason
        self.actor = actor
        self.since = since
        self.share = share
        self.plan = plan
        self.steps = steps
        self.next = next
        self.gate = gate
        self.set = set
    }

    /// Such as `admin 1.5.0 and shop 1.5.0`; nil for a release of no set.
    package var setText: String? {
        guard let last = set.last, set.count > 1 else { return nil }
        func name(_ member: Member) -> String { "\(member.package) \(member.version?.description ?? "embedded")" }
        return "\(set.dropLast().map(name).joined(separator: ", ")) and \(name(last))"
    }

    /// The number of the step whose share is there or on its way, from 1; 0 before the first.
    package var stepNumber: Int {
        guard share > .none else { return 0 }
        return (steps.firstIndex { $0.share >= share } ?? steps.count - 1) + 1
    }

    /// The number of the first step above the present share, which advance takes; nil if every step is reached.
    package var nextStepNumber: Int? { steps.firstIndex { $0.share > share }.map { $0 + 1 } }
}

/// What a request did, or would do.
package struct RolloutOutcome: Hashable, Sendable {
    package let isChanged: Bool
    /// What is done, in words, with shares and devices.
    package let effect: String
    package let before: Share
    package let after: Share
    /// The package's releases on the channel then, newest first.
    package let releases: [Release]
    /// nil where the release has no plan.
    package let status: RolloutStatus?
    /// How many others must approve it; 0 if nobody must.
    package let approvals: Int

    package init(
        isChanged: Bool, effect: String, before: Share, after: Share, releases: [Release], status: RolloutStatus?,
        approvals: Int = 0
    ) {
        self.isChanged = isChanged
        self.effect = effect
        self.before = before
        self.after = after
        self.releases = releases
        self.status = status
        self.approvals = approvals
    }
}

/// What one pass of the runner did.
package struct RolloutRun: Hashable, Sendable {
    package struct Action: Hashable, Sendable {
        package let package: PackageID
        package let channel: ChannelName
        package let version: SemanticVersion?
        /// Such as `step`, `complete` or `pause`.
        package let name: String
        package let before: Share
        package let after: Share
        package let reason: String

        package init(
            package: PackageID, channel: ChannelName, version: SemanticVersion?, name: String, before: Share,
            after: Share, reason: String
        ) {
            self.package = package
            self.channel = channel
            self.version = version
            self.name = name
            self.before = before
            self.after = after
            self.reason = reason
        }
    }

    /// What is done next.
    package enum Subject: Hashable, Sendable {
        /// Something of a plan. Share: which one the release gets; nil if it stays.
        case plan(PackageID, SemanticVersion?, on: ChannelName, share: Share?)
        /// A proposed change, by its number.
        case change(Int, on: ChannelName)
    }

    package let actions: [Action]
    /// The proposed changes that were due: those that were made, and those that failed.
    package let changes: [ProposedChange]
    /// Rollouts that could not be gone on with, and why.
    package let failures: [String]
    /// When there is something to do next; nil: not before somebody changes something.
    package let next: Date?
    /// What there is to do then; nil if nothing is, or if another runner is at it just now.
    package let subject: Subject?

    package init(
        actions: [Action], changes: [ProposedChange] = [], failures: [String], next: Date?, subject: Subject? = nil
    ) {
        self.actions = actions
        self.changes = changes
        self.failures = failures
        self.next = next
        self.subject = subject
    }
}
