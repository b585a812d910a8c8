import PackFormat
package import PackRegistryAPI

/// Makes the statistics of a channel from counters and standings. Pure.
package enum StatsRule {
    /// Above these days a point of a series is a day, else an hour.
    private static let hourlyDays = 3

    /// Seconds since 1970 at which the statistics begin.
    package static func start(_ query: StatsQuery, now: Int) -> Int {
        let step = step(query)
        let from = now - query.days * 86_400
        return max(0, from - from % step)
    }

    /// Seconds between two points of a series.
    package static func step(_ query: StatsQuery) -> Int { query.days > hourlyDays ? 86_400 : 3600 }

    /// - Parameter now: seconds since 1970.
    package static func stats(
        _ query: StatsQuery, counts: [ReportCount], standings: [StandingCount], presences: [PresenceCount] = [],
        now: Int
    ) -> ReportStats {
        let step = step(query)
        var stats = ReportStats(
            channel: query.channel, from: start(query, now: now), to: now, step: step,
            window: query.windowHours * 3600)
        stats.population = PopulationRule.population(presences)
        var versions: [ReportSubject: ReportStats.Version] = [:]
        func change(_ subject: ReportSubject, _ body: (inout ReportStats.Version) -> Void) {
            guard let version = subject.version else { return }
            body(
                &versions[
                    subject,
                    default: ReportStats.Version(
                        package: subject.package, version: version, release: subject.release)])
        }
        let silence = SilenceRule(window: stats.window)
        for standing in standings {
            change(standing.subject) { silence.add(standing, to: &$0, now: now) }
        }
        var points: [ReportSubject: [Int: ReportStats.Point]] = [:]
        var failures: [FailureKey: ReportStats.Failure] = [:]
        for count in counts {
            let key = count.key
            stats.savings.installations = stats.savings.installations.saturatingAdd(count.measured)
            stats.savings.wireByteCount = stats.savings.wireByteCount.saturatingAdd(count.wireByteCount)
            stats.savings.zipByteCount = stats.savings.zipByteCount.saturatingAdd(count.zipByteCount)
            if key.code == .session {
                stats.sessions += count.count
                stats.web += count.web
            }
            guard let version = key.subject.version else { continue }
            if [.activated, .confirmed, .failed].contains(key.code) {
                let time = key.hour - key.hour % step
                var point = points[key.subject]?[time] ?? ReportStats.Point(time: time)
                switch key.code {
                case .activated: point.activated += count.count
                case .confirmed: point.confirmed += count.count
                default: point.failed += count.count
                }
                points[key.subject, default: [:]][time] = point
            }
            guard key.code == .failed else { continue }
            let failureKey = FailureKey(subject: key.subject, phase: key.phase, fault: key.fault)
            var failure =
                failures[failureKey]
                ?? ReportStats.Failure(
                    package: key.subject.package, version: version, release: key.subject.release, phase: key.phase,
                    fault: key.fault, first: count.first)
            failure.count += count.count
            failure.first = min(failure.first, count.first)
            failure.last = max(failure.last, count.last)
            failures[failureKey] = failure
        }
        for (subject, series) in points {
            change(subject) { $0.series = series.values.sorted { $0.time < $1.time } }
        }
        stats.versions = versions.values.sorted {
            ($0.package, $1.version, $0.release ?? "") < ($1.package, $0.version, $1.release ?? "")
        }
        stats.failures = failures.values.sorted {
            ($1.count, $0.package, $0.version, $0.fault?.rawValue ?? "")
                < ($0.count, $1.package, $1.version, $1.fault?.rawValue ?? "")
        }
        return stats
    }

    private struct FailureKey: Hashable {
        let subject: ReportSubject
        let phase: ReportEvent.Phase?
        let fault: ReportEvent.Fault?
    }
}
