import Foundation
import PackFormat

@testable import PackDashboard
@testable import PackRegistryAPI

/// Every page, with one text in all places that people, publishers and devices can write to.
struct PageSamples {
    let text: String
    let documents: [[UInt8]]

    init(_ text: String, packageCount: Int = 3, versionCount: Int = 3) throws {
        self.text = text
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let digest = Digest(of: [1])
        let packages = try (0..<packageCount).map { try PackageID("package-\($0)") }
        let (package, channel) = (packages[0], try ChannelName("stable"))
        let note = (try? VersionNote(text: String(text.prefix(100)), commit: String(text.prefix(60)))) ?? .none
        // A note with control characters is no note, so the page must not depend on it.
        let shown = try note.isEmpty ? VersionNote(text: "note", commit: "commit") : note
        let versions = try (0..<versionCount).reversed().map { number in
            try RegistryOverview.Version(
                version: SemanticVersion("1.\(number).0"), manifest: digest,
                published: now.addingTimeInterval(Double(number) * 3600), publishedBy: String(text.prefix(100)),
                fileCount: 3,
                size: 1000 + number, fullSize: 500, archiveSize: 600, withdrawn: number == 0 ? text : nil, note: shown)
        }
        // Text is what an audience may have; other characters are refused before they come here.
        let audience = (try? Condition.tag("k", in: ["v"])).map { [Audience(conditions: [$0])] } ?? []
        let release = try Release(
            id: "r1", offer: .version(SemanticVersion("1.2.0"), manifest: digest),
            rollout: Rollout(share: Share(percent: 10), audiences: audience), set: "set-1")
        let overview = RegistryOverview(
            app: text, versions: Dictionary(uniqueKeysWithValues: packages.map { ($0, versions) }),
            channels: [channel: Dictionary(uniqueKeysWithValues: packages.map { ($0, [release]) })])
        let status = try Self.status(text, package, channel, now)
        let stats = try Self.stats(text, package, channel, versionCount: versionCount)
        let viewer = DashboardViewer(
            name: text, scope: TokenScope(actions: [.admin]), formToken: "f", notice: text)
        let verb = DashboardVerb.gate(package, channel, isOn: false)
        let manifest = try Self.manifest(package, text)
        let event = try Self.event(package)
        let pages: [DashboardPage] = try [
            HomePage(
                overview: overview, rollouts: [status],
                systems: [OtherSystem(name: text, namesDevices: true, reports: true, returnsToApp: false)], number: 1
            ).page,
            ChannelPage(
                channel: channel, offered: overview.channels[channel] ?? [:],
                settings: ChannelSettings(gatesOff: [package], groups: [text: 3]), stats: stats, number: 1
            ).page,
            OfferPage(
                package: package, channel: channel, releases: [release], isGateOff: true, rollout: status, stats: stats,
                viewer: viewer, channels: [ChannelName("beta")]
            ).page,
            PackagePage(package: package, versions: versions, channels: [channel: [release]], number: 1).page,
            VersionPage(
                package: package, version: versions[versions.count - 1], manifest: manifest,
                before: (SemanticVersion("0.9.0"), Self.manifest(package, "other")), viewer: viewer
            ).page,
            AuditPage(
                entries: Array(
                    repeating: AuditEntry(
                        time: now, actor: String(text.prefix(80)), action: String(text.prefix(40)),
                        subject: String(text.prefix(80)), detail: text), count: 300), number: 2
            ).page,
            TokensPage(
                tokens: [
                    TokenRecord(
                        id: "t1", name: text, scope: TokenScope(actions: [.publish]), created: now, expires: nil,
                        revoked: nil)
                ], now: now
            ).page,
            DevicePage(id: ReportID("00000000000000000000000000000001"), events: [event]).page,
            DevicePage(id: nil, events: nil).page,
            VerbPreview(
                verb: verb, title: text, effects: [text, text], state: text, command: text, asksReason: true
            ).page(viewer, warning: text),
            ChangesPage(
                changes: ProposedChanges(changes: [Self.change(text, package, channel, now)], required: [channel: 2]),
                isAll: true
            ).page,
            ChangePage(change: Self.change(text, package, channel, now), viewer: viewer).page,
            ChangePage(
                change: ProposedChange(
                    id: 4,
                    proposal: ChangeProposal(.rollout(RolloutRequest(.resume), of: package), on: channel),
                    proposer: text, proposed: now, expires: now, state: .waiting, effect: [text], needed: 1,
                    approvals: [], end: nil,
                    preview: RolloutOutcome(
                        isChanged: true, effect: text, before: .none, after: .none, releases: [release], status: status)
                ), viewer: viewer
            ).page,
            PlainPages.fault(text, text), PlainPages.signIn(fault: text),
        ]
        documents = pages.map { $0.document(app: String(text.prefix(100)), viewer) }
    }

    private static func status(
        _ text: String, _ package: PackageID, _ channel: ChannelName, _ now: Date
    ) throws -> RolloutStatus {
        let plan = try RolloutPlan(
            steps: [
                .init(share: Share(percent: 10), time: PlanDuration("4h")), .init(share: .whole, time: nil),
            ], devices: 1000)
        return try RolloutStatus(
            package: package, channel: channel, release: "r1", version: SemanticVersion("1.2.0"), state: .running,
            reason: text, actor: text, since: now, share: Share(percent: 10), plan: plan,
            steps: plan.steps.map { .init(share: $0.share, time: $0.time, reached: nil, expected: now) },
            next: .init(share: .whole, date: now, reason: text))
    }

    private static func change(
        _ text: String, _ package: PackageID, _ channel: ChannelName, _ now: Date
    ) -> ProposedChange {
        ProposedChange(
            id: 3,
            proposal: ChangeProposal(
                .setting(.gate(package, isOn: false)), on: channel, reason: String(text.prefix(500))),
            proposer: text, proposed: now, expires: now, state: .waiting, effect: [text], needed: 2,
            approvals: [.init(by: text, time: now)], end: .init(by: text, time: now, text: text))
    }

    private static func stats(
        _ text: String, _ package: PackageID, _ channel: ChannelName, versionCount: Int
    ) throws -> ReportStats {
        var stats = ReportStats(channel: channel, from: 0, to: 30 * 86_400, step: 86_400, window: 86_400)
        stats.versions = try (0..<versionCount).map { number in
            var version = try ReportStats.Version(
                package: package, version: SemanticVersion("1.\(number).0"), release: "r\(number)")
            version.activated = 100 - min(number, 99)
            version.confirmed = 10
            version.series = (0..<30).map { day in
                var point = ReportStats.Point(time: day * 86_400)
                point.activated = day
                return point
            }
            return version
        }
        stats.failures = try (0..<versionCount).map { number in
            var failure = try ReportStats.Failure(
                package: package, version: SemanticVersion("1.\(number).0"), release: nil, phase: .start,
                fault: .neverConfirmed, first: 0)
            failure.count = 3
            return failure
        }
        stats.savings.installations = 5
        stats.savings.wireByteCount = 1000
        stats.savings.zipByteCount = 9000
        stats.sessions = 3
        stats.population.devices = 100
        stats.population.platforms = [text: 60, nil: 40]
        stats.population.appVersions = Dictionary(
            uniqueKeysWithValues: (0..<versionCount).map { ("3.\($0)", 100 - min($0, 99)) })
        stats.population.osVersions = ["17.4": 90, text: 10]
        stats.web.local = 40
        return stats
    }

    /// A manifest with a path of the text's characters, as far as a path may have them.
    private static func manifest(_ package: PackageID, _ text: String) throws -> Manifest {
        let name = text.unicodeScalars.filter { $0.value > 0x20 && !"/\\".unicodeScalars.contains($0) }.prefix(60)
        var files = [try PackagePath("index.html"): Manifest.File(digest: Digest(of: Array(text.utf8)), size: 10)]
        let path = try (try? PackagePath(String(String.UnicodeScalarView(name)))) ?? PackagePath("plain.txt")
        files[path] = Manifest.File(digest: Digest(of: [9]), size: 20)
        return try Manifest(
            package: package, version: SemanticVersion("1.0.0"), entry: PackagePath("index.html"), files: files)
    }

    private static func event(_ package: PackageID) throws -> DeviceEvent {
        var event = try ReportEvent(
            sequence: 1, code: .failed, time: 900, package: package, version: SemanticVersion("1.0.0"), release: "r1")
        event.phase = .start
        event.fault = .late
        return DeviceEvent(channel: try ChannelName("stable"), event: event, received: 1000)
    }
}
