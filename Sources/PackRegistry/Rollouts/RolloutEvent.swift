package import Foundation
package import PackFormat
package import PackRegistryAPI

/// One entry of the append-only history of a release (`releaseEvent`), as far as rollouts go by it.
package struct RolloutEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The release was made, or its share changed, by whomever.
        case share(Share)
        /// The release is no longer offered.
        case remove
        /// A plan was put on it.
        case plan(RolloutPlan)
        /// Something was done with the plan, and why.
        case action(Action, reason: String)
    }

    /// What can be done with a plan. The share that goes with it is an event of its own, before it.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// The first step was taken.
        case start
        /// The next share of the plan was reached because its time had come.
        case step
        /// The same because somebody said so.
        case advance
        case pause
        case resume
        case halt
        case complete
    }

    package let kind: Kind
    package let time: Date
    package let actor: String

    package init(_ kind: Kind, time: Date, actor: String) {
        self.kind = kind
        self.time = time
        self.actor = actor
    }
}

/// A release that has, or had, a plan, with all of its events, oldest first.
package struct PlannedRelease: Hashable, Sendable {
    package let package: PackageID
    package let channel: ChannelName
    /// The id of the release.
    package let release: String
    package let version: SemanticVersion?
    package let events: [RolloutEvent]
    /// A newer release that the channel offers for the package.
    package let newer: String?

    package init(
        package: PackageID, channel: ChannelName, release: String, version: SemanticVersion?, events: [RolloutEvent],
        newer: String? = nil
    ) {
        self.package = package
        self.channel = channel
        self.release = release
        self.version = version
        self.events = events
        self.newer = newer
    }
}
