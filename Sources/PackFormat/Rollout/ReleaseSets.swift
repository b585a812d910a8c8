/// The release sets of one channel: releases of several packages that a device installs together or not at all.
///
/// A device can install a set if every release in it admits the device. Each package still selects the newest release
/// that admits the device; releases of sets that the device cannot install are skipped.
public struct ReleaseSets: Hashable, Sendable {
    public static let none = ReleaseSets(members: [:])

    private let members: [String: [PackageID: Release]]

    public init(of channel: ChannelFile) {
        var members: [String: [PackageID: Release]] = [:]
        for (package, content) in channel.packages where content.isEnabled {
            // A package whose feature gate is off has no pages on the device, so it does not hold up its set.
            for release in content.releases {
                if let set = release.set { members[set, default: [:]][package] = release }
            }
        }
        self.init(members: members)
    }

    private init(members: [String: [PackageID: Release]]) {
        self.members = members
    }

    /// The ids of all sets.
    public var ids: Dictionary<String, [PackageID: Release]>.Keys { members.keys }

    /// The releases of a set; empty for an unknown set.
    public func members(of set: String) -> [PackageID: Release] { members[set] ?? [:] }

    /// The sets that a device cannot install as a whole, each with the first package that refuses it and why. Compute it
    /// once per device and channel; the cost is proportional to the number of releases in sets.
    public func refusals(app: String, _ device: DeviceFacts) -> [String: String] {
        members.compactMapValues { members in
            var first: (package: PackageID, reason: RolloutDecision.Reason)?
            for (package, release) in members {
                if let first, first.package < package { continue }
                let reason = RolloutDecision.reason(release, of: package, app: app, device)
                if !reason.isAdmitted { first = (package, reason) }
            }
            return first.map { "\($0.package): \($0.reason)" }
        }
    }
}
