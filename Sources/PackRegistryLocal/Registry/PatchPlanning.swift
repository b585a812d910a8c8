import Foundation
package import PackFormat
package import PackRegistry
import PackRegistryAPI
import PackRegistrySQL

/// Patches that are made before a device asks for them, from the versions that devices have: behind a bucket or a CDN a patch that is
/// not there is a full download.
///
///     let planning = PatchPlanning(local)
///     let plan = try await planning.plan(PatchBudget())
///     try await planning.make(plan)
package struct PatchPlanning: Sendable {
    /// How many versions that a channel offered before have patches without reports.
    package static var recentVersions: Int { PatchPairs.recentVersions }

    /// Days for which the report of an activation says what a device has, where apps do not say it themselves.
    private static let activationDays = 30

    private let local: LocalRegistry

    package init(_ local: LocalRegistry) {
        self.local = local
    }

    /// What could be made, what it would cost and save, and what a budget has room for, best first.
    /// - Parameter package: nil: all.
    package func plan(_ budget: PatchBudget, package: PackageID? = nil) async throws -> [PatchPlanRule.Choice] {
        let devices = try await devices()
        let candidates = try await local.database.reading { db in
            let packages = try package.map { [$0] } ?? ReleaseTable(db: db).offeredPackages()
            return try PatchCandidates(db: db).all(of: packages, devices: devices)
        }
        return PatchPlanRule(budget: budget).plan(candidates)
    }

    /// Makes what a plan says is to be made, with the manifests' patches.
    /// - Parameter time: after this time the rest is left; the current file is finished.
    /// - Parameter report: how many files are made, and how many there are in all.
    /// - Returns: whether all of it is made.
    @discardableResult
    package func make(
        _ plan: [PatchPlanRule.Choice], for time: Duration? = nil,
        report: @escaping @Sendable (_ made: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> Bool {
        let pairs = plan.filter { $0.decision == .make }.map { choice in
            PatchPairs.Pair(base: choice.candidate.base.manifest, target: choice.candidate.target.manifest)
        }
        let files = try await local.database.reading { db in try pairs.flatMap { try DerivedTable(db: db).missing($0) }
        }
        return try await BlockingWork.runCancellable(for: time) { [local] isOver in
            try local.artifacts.make(planned: files, until: isOver, report: report)
        }
    }

    /// The devices by what they have, where anything was reported.
    private func devices() async throws -> PatchPairs.Devices {
        guard try await local.reportStore.isUsed() else { return [:] }
        let now = Int(local.now.timeIntervalSince1970)
        var devices: PatchPairs.Devices = [:]
        for channel in try await local.database.reading({ try ReleaseTable(db: $0).channels() }) {
            var counts: [VersionName: Int] = [:]
            let presences = try await local.reportStore.presences(
                on: channel, package: nil, from: PopulationRule.firstDay(now: now))
            for presence in presences {
                counts[VersionName(presence.package, presence.version), default: 0] += presence.devices
            }
            if counts.isEmpty {
                let from = now - Self.activationDays * 86_400
                let standings = try await local.reportStore.standings(
                    on: channel, package: nil, from: from, recent: now)
                for standing in standings where standing.outcome != .failed {
                    guard let version = standing.subject.version else { continue }
                    counts[VersionName(standing.subject.package, version), default: 0] += standing.devices
                }
            }
            if !counts.isEmpty { devices[channel] = counts }
        }
        return devices
    }
}
