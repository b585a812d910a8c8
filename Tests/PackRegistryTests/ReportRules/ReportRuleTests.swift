import PackFormat
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// The rules about reports, without a store.
@Suite("ReportRuleTests") struct ReportRuleTests {
    private static let now = 1_800_000_000

    private static func event(
        _ sequence: Int, _ code: ReportEvent.Code, _ version: String? = "1.0.0", release: String? = "r1",
        time: Int = ReportRuleTests.now
    ) throws -> ReportEvent {
        try ReportEvent(
            sequence: sequence, code: code, time: time, package: PackageID("checkout"),
            version: version.map { try SemanticVersion($0) }, release: release)
    }

    private static func judge(_ events: ReportEvent...) throws -> (reports: JudgedReports, receipt: ReportReceipt) {
        var offered = OfferedVersions()
        try offered.add(
            SemanticVersion("1.0.0"), of: PackageID("checkout"), on: ChannelName("beta"), release: "r1",
            zipByteCount: 5000)
        try offered.add(
            SemanticVersion("2.0.0"), of: PackageID("checkout"), on: ChannelName("stable"), release: "r2",
            zipByteCount: nil)
        let batch = try ReportBatch(
            sender: ReportID(String(repeating: "a", count: 32)), channel: ChannelName("beta"), events: events)
        return ReportRule.judge(batch, offered: offered, received: now)
    }

    @Test func `a version or release that the channel never offered is dropped and counted`() throws {
        let (reports, receipt) = try Self.judge(
            Self.event(1, .activated), Self.event(2, .activated, release: nil),
            Self.event(3, .activated, "2.0.0", release: "r2"), Self.event(4, .failed, release: "r9"),
            Self.event(5, .gateOff, nil, release: nil))
        #expect(reports.events.map(\.sequence) == [1, 2, 5])
        #expect(receipt.neverOffered == 2)
    }

    @Test func `a clock that is days off does not put events into another week`() throws {
        let late = Self.now - 9 * 86_400
        let (reports, _) = try Self.judge(
            Self.event(1, .activated, time: late), Self.event(2, .activated, time: Self.now + 86_400),
            Self.event(3, .activated, time: Self.now - 3 * 86_400))
        #expect(reports.events.map(\.time) == [Self.now, Self.now, Self.now - 3 * 86_400])
    }

    @Test func `a download is set against the zip that the registry has`() throws {
        var event = try Self.event(1, .downloaded)
        event.wireByteCount = 100
        var installed = try Self.event(2, .installed)
        installed.wireByteCount = 100
        let (reports, _) = try Self.judge(event, installed)
        #expect(reports.events.map(\.zipByteCount) == [5000, nil])
        #expect(reports.events.map(\.wireByteCount) == [100, nil], "one event of an installation has the bytes")
    }

    @Test func `one sender cannot pretend to be a crowd, nor can one network`() throws {
        var limits = ReportCaps.Limits()
        limits.perSender = 10
        limits.perNetwork = 25
        var caps = ReportCaps(limits)
        let senders = try (0..<5).map { try ReportID(String(repeating: "\($0)", count: 32)) }
        func admit(_ count: Int, _ sender: Int, _ network: [UInt8], later seconds: Int = 0) -> Int? {
            caps.admit(count, of: senders[sender], from: network, now: Self.now + seconds)
        }
        #expect(admit(10, 0, [10, 0, 0]) == nil)
        #expect(admit(1, 0, [10, 0, 1]) == 3600 - Self.now % 3600, "the sender has had its events")
        #expect(admit(10, 1, [10, 0, 0]) == nil)
        #expect(admit(10, 2, [10, 0, 0]) != nil, "the network is full")
        #expect(admit(10, 2, [10, 0, 2]) == nil, "another network is not")
        #expect(admit(10, 0, [10, 0, 0], later: 3600) == nil, "the next hour begins anew")
    }

    @Test func `an empty report takes no place`() throws {
        var limits = ReportCaps.Limits()
        limits.maximumCount = 1
        var caps = ReportCaps(limits)
        let (empty, real) = try (
            ReportID(String(repeating: "1", count: 32)), ReportID(String(repeating: "2", count: 32))
        )
        #expect(caps.admit(0, of: empty, from: [10, 0, 0], now: Self.now) == nil)
        #expect(caps.admit(1, of: real, from: [10, 0, 1], now: Self.now) == nil)
        #expect(caps.admit(1, of: empty, from: [10, 0, 1], now: Self.now) != nil, "the place is taken by now")
    }

    @Test func `who activated and said nothing more is silent when the window is over, and not before`() throws {
        let subject = try ReportSubject(
            package: PackageID("checkout"), version: SemanticVersion("1.0.0"), release: "r1")
        let rule = SilenceRule(window: 24 * 3600)
        var version = try ReportStats.Version(
            package: PackageID("checkout"), version: SemanticVersion("1.0.0"), release: "r1")
        // Reported times are up to a quarter of an hour early.
        let standings: [(minutesAgo: Int, StandingCount.Outcome?, devices: Int)] = [
            (24 * 60 + 16, nil, 3), (23 * 60, nil, 5), (24 * 60 + 14, nil, 7), (6_000, .confirmed, 40),
            (6_000, .failed, 2),
        ]
        for (minutes, outcome, devices) in standings {
            rule.add(
                StandingCount(
                    subject: subject, activated: Self.now - minutes * 60, outcome: outcome, devices: devices),
                to: &version, now: Self.now)
        }
        #expect(version.activated == 57 && version.confirmed == 40 && version.failed == 2)
        #expect(version.silent == 3 && version.waiting == 12)
    }

    @Test func `statistics have versions, their days, and each failure with its first hour`() throws {
        func count(_ code: ReportEvent.Code, hoursAgo: Int, _ number: Int, _ fault: ReportEvent.Fault? = nil) throws
            -> ReportCount
        {
            var event = try Self.event(1, code, time: Self.now - hoursAgo * 3600)
            event.fault = fault
            event.phase = fault == nil ? nil : .start
            var count = ReportCount(ReportCount.Key(event))
            count.count = number
            if code == .downloaded {
                count.measured = number
                count.wireByteCount = 10 * number
                count.zipByteCount = 100 * number
            }
            return count
        }
        var query = try StatsQuery(channel: ChannelName("beta"))
        let counts = try [
            count(.activated, hoursAgo: 1, 10), count(.activated, hoursAgo: 50, 4), count(.confirmed, hoursAgo: 1, 9),
            count(.failed, hoursAgo: 2, 1, .neverConfirmed), count(.failed, hoursAgo: 50, 2, .neverConfirmed),
            count(.downloaded, hoursAgo: 3, 14), count(.failed, hoursAgo: 3, 1, .diskFull),
        ]
        let stats = StatsRule.stats(query, counts: counts, standings: [], now: Self.now)
        let version = try #require(stats.versions.first)
        #expect(stats.versions.count == 1 && version.series.count == 2)
        #expect(version.series.map(\.activated) == [4, 10])
        #expect(version.series.map(\.time).allSatisfy { $0 % 86_400 == 0 })
        #expect(stats.failures.map(\.count) == [3, 1])
        let hour = (Self.now - 50 * 3600) / 3600 * 3600
        #expect(stats.failures.first?.fault == .neverConfirmed && stats.failures.first?.first == hour)
        #expect(stats.savings.wireByteCount == 140 && stats.savings.zipByteCount == 1400)
        #expect(try ReportStats(json: stats.json) == stats)
        query.days = 2
        let hourly = StatsRule.stats(query, counts: counts, standings: [], now: Self.now)
        #expect(hourly.step == 3600)
    }
}
