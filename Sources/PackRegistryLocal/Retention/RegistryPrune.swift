import Foundation
import PackFormat
package import PackRegistry
package import PackRegistryAPI
import PackRegistrySQL

/// Removes the files of versions that nobody needs any more, of old uploads, and patches and compressed copies that nobody is led to.
///
///     let prune = RegistryPrune(local)
///     let plan = try await prune.plan(RetentionPolicy())
///     try await prune.run(RetentionPolicy(), as: identity)
///
/// One transaction takes all references away and lists the files; then each file is removed in the transaction that takes it off
/// the list. So an upload that needs one of them meanwhile either keeps it or stores it again, and what an interrupted prune
/// leaves is removed by the next. Signed documents and manifests stay.
package struct RegistryPrune: Sendable {
    /// Files in one transaction, for which others that change the registry wait.
    private static let filesAtOnce = 100
    private static let tries = 20

    private let local: LocalRegistry

    package init(_ local: LocalRegistry) {
        self.local = local
    }

    package func plan(_ policy: RetentionPolicy) async throws -> PrunePlan { try await planned(policy).plan }

    /// - Parameter report: how many files are removed, and how many there are in all.
    /// - Returns: what was removed.
    /// - Throws: ``RegistryError`` of the kind `.busy` where others changed the registry each time.
    package func run(
        _ policy: RetentionPolicy, as identity: Identity,
        report: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async throws -> PrunePlan {
        let plan = try await recorded(policy, as: identity)
        let all = plan.paths.count + plan.leftCount
        var done = 0
        while true {
            report(min(done, all), all)
            let count = try await removeSome()
            guard count > 0 else { return plan }
            done += count
        }
    }

    private func planned(_ policy: RetentionPolicy) async throws -> (plan: PrunePlan, moment: PruneTables.Moment) {
        let now = local.now
        let onDevices = try await versionsOnDevices(since: policy.cutoff(now: now))
        return try await local.database.reading { db in
            let tables = PruneTables(db: db)
            return (try tables.plan(policy, onDevices: onDevices, now: now), try tables.moment())
        }
    }

    private func recorded(_ policy: RetentionPolicy, as identity: Identity) async throws -> PrunePlan {
        for _ in 1...Self.tries {
            let (plan, moment) = try await planned(policy)
            guard !plan.isEmpty else { return plan }
            let now = local.now
            let isRecorded = try await local.database.writing { db in
                let tables = PruneTables(db: db)
                guard try tables.moment() == moment else { return false }
                try tables.record(plan, by: identity, now: now)
                return true
            }
            if isRecorded { return plan }
        }
        throw RegistryError(.busy, "others changed the registry each time that files were to be removed: try again")
    }

    /// The versions that devices reported to have, or to have activated, where the registry keeps reports.
    private func versionsOnDevices(since time: Date) async throws -> Set<VersionName> {
        var found: Set<VersionName> = []
        let start = Int(time.timeIntervalSince1970)
        for channel in try await local.database.reading({ try ReleaseTable(db: $0).channels() }) {
            for presence in try await local.reportStore.presences(on: channel, package: nil, from: start / 86_400) {
                found.insert(VersionName(presence.package, presence.version))
            }
            let standings = try await local.reportStore.standings(on: channel, package: nil, from: start, recent: start)
            for standing in standings {
                guard let version = standing.subject.version else { continue }
                found.insert(VersionName(standing.subject.package, version))
            }
        }
        return found
    }

    /// - Returns: how many files were taken off the list.
    private func removeSome() async throws -> Int {
        try await local.database.writing { [local] db in
            let tables = PruneTables(db: db)
            let names = try tables.next(Self.filesAtOnce)
            let paths = try names.compactMap { StoredPath($0) }.filter { try !tables.isUsed($0) }
            try Self.remove(paths, of: local)
            try tables.finish(names)
            return names.count
        }
    }

    private static func remove(_ paths: [StoredPath], of local: LocalRegistry) throws {
        guard let mirror = local.mirror else {
            for path in paths {
                do {
                    try FileManager.default.removeItem(at: local.files.view(path.description))
                } catch CocoaError.fileNoSuchFile {}
            }
            return
        }
        try AsyncWork.wait { try await mirror.storage.view.remove(listed: paths.map(\.description)) }
        for path in paths { mirror.dropCopy(of: path) }
    }
}
