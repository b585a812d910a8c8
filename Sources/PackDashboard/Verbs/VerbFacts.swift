import PackFormat
import PackRegistryAPI

/// What the effect of a verb on a package of a channel is computed from.
struct VerbFacts {
    let package: PackageID
    let channel: ChannelName
    /// Newest first.
    let releases: [Release]
    let isGateOff: Bool
    let rollout: RolloutStatus?
    /// Of the last 30 days; nil if the viewer may not observe.
    let stats: ReportStats?
    /// The other packages of the newest release's set.
    let companions: [PackageID]

    /// Names the state. Whatever changes an effect is in it.
    var state: String {
        let parts =
            releases.map { "\($0.id) \($0.rollout.text) \($0.retry) \($0.policy.text)" } + [
                "\(isGateOff)", rollout.map { "\($0.release) \($0.state) \($0.since)" } ?? "no plan",
            ]
        return String(Digest(of: Array(parts.joined(separator: "\n").utf8)).hex.prefix(32))
    }

    /// How many devices reported that a version became active on them, and how it went; nil without reports.
    func reported(_ version: SemanticVersion?) -> String? {
        guard let stats else { return nil }
        let found = stats.versions.filter { $0.package == package && $0.version == version }
        let sum = found.reduce(into: (0, 0, 0, 0)) { sum, version in
            sum.0 += version.activated
            sum.1 += version.confirmed
            sum.2 += version.failed
            sum.3 += version.silent
        }
        guard sum.0 > 0 else {
            return "No device reported that \(ReleaseWords.version(version)) became active (last 30 days)."
        }
        return "\(ReleaseWords.version(version)) became active on \(Words.count(sum.0, "device")) (last 30 days): "
            + "\(Words.count(sum.1)) confirmed it, it failed on \(Words.count(sum.2)), \(Words.count(sum.3)) "
            + "\(sum.3 == 1 ? "is" : "are") silent."
    }

    /// The sentence about the set, where the newest release is of one.
    var setSentence: String? {
        guard !companions.isEmpty else { return nil }
        let names = companions.prefix(10).map(\.text).joined(separator: ", ")
        return
            "Its set is changed with it: \(names)\(companions.count > 10 ? " and \(companions.count - 10) more" : "")."
    }
}

extension VerbDesk {
    func facts(_ package: PackageID, _ channel: ChannelName) async throws -> VerbFacts {
        let file = try await registry.channelFile(channel, at: nil)
        guard let offered = file?.packages[package] else {
            throw DashboardFault(.notFound, "\(channel) never offered the package \(package).")
        }
        let set = offered.releases.first?.set
        let companions = file?.packages.filter { entry in
            entry.key != package && set != nil && entry.value.releases.contains { $0.set == set }
        }.keys.sorted()
        return try await VerbFacts(
            package: package, channel: channel, releases: offered.releases, isGateOff: !offered.isEnabled,
            rollout: allowed { try await status(package, channel) } ?? nil,
            stats: allowed { try await registry.stats(StatsQuery(channel: channel, package: package)) },
            companions: companions ?? [])
    }

    /// Nil if the viewer has no right to it, or the registry keeps no such thing.
    func allowed<Value>(_ read: () async throws -> Value) async throws -> Value? {
        do {
            return try await read()
        } catch let error as RegistryError where error.kind == .forbidden || error.kind == .notFound {
            return nil
        }
    }
}
