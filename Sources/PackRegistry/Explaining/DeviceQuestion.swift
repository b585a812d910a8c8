package import Foundation
package import PackFormat
import PackRegistryAPI

/// Why a device gets what it gets of a package, by a registry: the command line and a server put this one question, so they give
/// the same answer.
package struct DeviceQuestion: Sendable {
    package let package: PackageID
    package let channel: ChannelName
    /// Without the groups that the device is in.
    package let facts: DeviceFacts
    /// The version that the device runs; nil: not known.
    package var running: SemanticVersion?
    /// nil: now.
    package var time: Date?

    package init(_ package: PackageID, on channel: ChannelName, facts: DeviceFacts) {
        self.package = package
        self.channel = channel
        self.facts = facts
    }

    /// - Parameters:
    ///   - file: what the channel offers, or offered then.
    ///   - groups: of the channel, now, that the device is in.
    ///   - plans: where the package's plans are, or were then.
    package func answer(
        _ file: ChannelFile, groups: Set<String>, plans: [String: PlanProgress]
    ) -> RolloutExplanation {
        var notes = time.map { ["at \(WireTime.text($0))"] } ?? []
        let releases = file.packages[package]?.releases ?? []
        let asksForGroup = releases.flatMap { $0.rollout.audiences.flatMap(\.conditions) }.contains { condition in
            if case .group = condition { true } else { false }
        }
        if time != nil, asksForGroup {
            notes.append("the groups are those of now: a registry does not keep older ones")
        }
        return RolloutExplanation(
            package, in: file, for: facts.with(groups: groups), plans: plans,
            taking: RolloutExplanation.Taking(running: running), notes: notes)
    }
}
