/// The release sets of one channel: releases of several packages that a device installs together or not at all.
///
/// A device can install a set if every release in it admits the device. Each package still selects the newest release
/// that admits the device; releases of sets that the device cannot install are skipped.
public struct ReleaseSets: Hashable, Sendable {
    public static let none = ReleaseSets(members: [:])

    /// Releases of one set that ask the same of a device: one answer holds for all of them.
    private struct Demand: Hashable, Sendable {
        /// The first of the packages, which a refusal names.
        let package: PackageID
        let release: Release
    }

    /// What the answer of a release depends on, besides the device and the set.
    private struct DemandKey: Hashable {
        let rollout: Rollout
        let requiredApp: VersionRange?
        let unknownFields: [String]

        init(_ release: Release) {
            (rollout, requiredApp, unknownFields) = (release.rollout, release.requiredApp, release.unknownFields)
        }
    }

    private let members: [String: [PackageID: Release]]
    /// Of each set, in the order of their packages. A registry gives all releases of a set the same rollout and app
    /// versions, so this is one, however many packages there are.
    private let demands: [String: [Demand]]
    /// The sets that each package has releases of.
    private let setsOfPackage: [PackageID: [String]]

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
        demands = members.mapValues { members in
            var first: [DemandKey: Demand] = [:]
            for (package, release) in members {
                let key = DemandKey(release)
                if let known = first[key], known.package < package { continue }
                first[key] = Demand(package: package, release: release)
            }
            return first.values.sorted { $0.package < $1.package }
        }
        var sets: [PackageID: [String]] = [:]
        for (set, members) in members { for package in members.keys { sets[package, default: []].append(set) } }
        setsOfPackage = sets.mapValues { $0.sorted() }
    }

    /// The ids of all sets.
    public var ids: Dictionary<String, [PackageID: Release]>.Keys { members.keys }

    /// The releases of a set; empty for an unknown set.
    public func members(of set: String) -> [PackageID: Release] { members[set] ?? [:] }

    /// The sets that a device cannot install as a whole, each with the first package that refuses it and why. Compute it
    /// once per device and channel; the cost is proportional to the number of sets.
    public func refusals(app: String, _ device: DeviceFacts) -> [String: String] {
        demands.compactMapValues { refusal(of: $0, app: app, device) }
    }

    /// ``refusals(app:_:)`` of the sets that a package has releases of: all that a decision about the package needs.
    public func refusals(app: String, of package: PackageID, _ device: DeviceFacts) -> [String: String] {
        var refusals: [String: String] = [:]
        for set in setsOfPackage[package] ?? [] {
            refusals[set] = demands[set].flatMap { refusal(of: $0, app: app, device) }
        }
        return refusals
    }

    private func refusal(of demands: [Demand], app: String, _ device: DeviceFacts) -> String? {
        for demand in demands {
            let reason = RolloutDecision.reason(demand.release, of: demand.package, app: app, device)
            if !reason.isAdmitted { return "\(demand.package): \(reason)" }
        }
        return nil
    }
}
