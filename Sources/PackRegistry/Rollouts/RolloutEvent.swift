package import Foundation
package import PackFormat
package import PackRegistryAPI

/// One entry of the append-only history of a release (`releaseEvent`), as far as rollouts go by it.
package struct RolloutEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The release was made, or its share changed, by whomever.
        case share(Share)
        /// The release is no longer offered. The reason is empty if nobody gave one.
        case remove(reason: String = "")
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

/// A release that has, or had, a plan, with all of its events, oldest first. A set has one plan, which is recorded on the release
/// of one of its packages and holds for the releases of all.
package struct PlannedRelease: Hashable, Sendable {
    /// A package's release of a set.
    package struct Member: Hashable, Sendable {
        package let package: PackageID
        /// The id of the release.
        package let release: String
        package let version: SemanticVersion?

        package var versionText: String { version?.description ?? "embedded" }

        package init(package: PackageID, release: String, version: SemanticVersion?) {
            self.package = package
            self.release = release
            self.version = version
        }
    }

    package let package: PackageID
    package let channel: ChannelName
    /// The id of the release.
    package let release: String
    package let version: SemanticVersion?
    /// Of the release that has the plan.
    package let events: [RolloutEvent]
    /// A newer release that the channel offers for the package of the release that has the plan, else one for another package of
    /// the set, made after the plan: it takes that package out of the set.
    package let newer: Member?
    /// Whether a newer release is for all devices, so that none gets this one.
    package let isSuperseded: Bool
    /// The releases of the set, by the names of their packages; empty for a release of no set.
    package let set: [Member]
    /// The release that has the plan: this one, or another one of the set.
    package let holder: Member

    package init(
        package: PackageID, channel: ChannelName, release: String, version: SemanticVersion?, events: [RolloutEvent],
        newer: Member? = nil, isSuperseded: Bool = false, set: [Member] = [], holder: Member? = nil
    ) {
        self.isSuperseded = isSuperseded
        self.package = package
        self.channel = channel
        self.release = release
        self.version = version
        self.events = events
        self.newer = newer
        self.set = set
        self.holder = holder ?? Member(package: package, release: release, version: version)
    }

    /// Whether the plan is recorded on this release. The others of its set follow.
    package var holdsPlan: Bool { holder.release == release }

    /// ``newer`` as a reason says it: with the package's name if that is not the one which has the plan.
    package var newerText: String? {
        newer.map { ($0.package == holder.package ? "" : "\($0.package) ") + $0.versionText }
    }
}
