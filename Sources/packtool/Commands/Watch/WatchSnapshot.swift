import Foundation
import PackFormat
import PackRegistryAPI

/// What `packtool status --watch` shows, as of one moment.
struct WatchSnapshot {
    let time: Date
    let overview: RegistryOverview
    let rollouts: [RolloutStatus]
    /// By channel; empty if the caller may not observe.
    let stats: [ChannelName: ReportStats]

    /// Channels whose reports are read each time.
    private static let maximumChannelCount = 8

    static func read(
        _ registry: any Registry, package: PackageID?, channel: ChannelName?, now: Date
    ) async throws -> WatchSnapshot {
        let all = try await registry.overview()
        let channels = all.channels.filter { channel == nil || $0.key == channel }.mapValues { packages in
            packages.filter { package == nil || $0.key == package }
        }
        let overview = RegistryOverview(
            app: all.app, versions: all.versions, channels: channels, earlier: all.earlier, settings: all.settings,
            approvals: all.approvals, rollbacks: all.rollbacks)
        var rollouts: [RolloutStatus] = []
        let partial = Set(
            channels.values.flatMap { $0.filter { $0.value.first?.rollout.reachesEveryone == false }.map(\.key) })
        for package in partial.sorted() {
            rollouts += try await allowed { try await registry.rollouts(of: package) } ?? []
        }
        var stats: [ChannelName: ReportStats] = [:]
        for channel in channels.keys.sorted().prefix(maximumChannelCount) {
            stats[channel] = try await allowed {
                try await registry.stats(StatsQuery(channel: channel, package: package))
            }
        }
        return WatchSnapshot(
            time: now, overview: overview, rollouts: rollouts.filter { channel == nil || $0.channel == channel },
            stats: stats)
    }

    /// Nil if the caller has no right to it, or the registry keeps no such thing.
    private static func allowed<Value>(_ read: () async throws -> Value) async throws -> Value? {
        do { return try await read() } catch let error as RegistryError
            where [.forbidden, .notFound, .unauthorized].contains(error.kind)
        { return nil }
    }

    /// What became of each package on each channel since an earlier snapshot, as sentences.
    func changes(since earlier: WatchSnapshot) -> [String] {
        var changes: [String] = []
        for (channel, packages) in overview.channels.sorted(by: { $0.key < $1.key }) {
            for (package, releases) in packages.sorted(by: { $0.key < $1.key }) {
                let before = Self.offer(earlier.overview.channels[channel]?[package] ?? [])
                let now = Self.offer(releases)
                if before != now { changes.append("\(channel): \(package) \(before) → \(now)") }
            }
        }
        for status in rollouts {
            let before = earlier.rollouts.first { $0.release == status.release }?.state
            if let before, before != status.state {
                changes.append(
                    "\(status.channel): \(status.package) \(before.rawValue) → \(status.state.rawValue): \(status.reason)"
                )
            }
        }
        for (channel, now) in stats.sorted(by: { $0.key < $1.key }) {
            let sum = { (stats: ReportStats?) in stats?.failures.reduce(0) { $0 + $1.count } ?? 0 }
            let more = sum(now) - sum(earlier.stats[channel])
            if earlier.stats[channel] != nil, more > 0 { changes.append("\(channel): \(more) new failures") }
        }
        return changes
    }

    /// Such as `1.4.0 10 %, 1.3.0`.
    static func offer(_ releases: [Release]) -> String {
        guard !releases.isEmpty else { return "nothing" }
        return releases.prefix(2).map { release in
            let name = release.version?.description ?? "embedded"
            return release.rollout.reachesEveryone ? name : "\(name) \(release.rollout.text)"
        }.joined(separator: ", ")
    }
}
