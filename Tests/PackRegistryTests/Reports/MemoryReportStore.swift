import PackFormat
import PackRegistry
import PackRegistryAPI
import Testing

/// The twin of `SQLiteReportStore` in memory.
actor MemoryReportStore: ReportStore {
    private struct Stored {
        let sender: ReportID
        let event: DeviceEvent
    }

    private struct CountKey: Hashable {
        let channel: ChannelName
        let key: ReportCount.Key
    }

    private struct StandingKey: Hashable {
        let channel: ChannelName
        let subject: ReportSubject
        let sender: ReportID
    }

    private var log: [Stored] = []
    private var counters: [CountKey: ReportCount] = [:]
    private var stands: [StandingKey: (activated: Int?, outcome: StandingCount.Outcome?)] = [:]
    private var networks: [StandingKey: Int] = [:]
    private struct PresenceKey: Hashable {
        let channel: ChannelName
        let package: PackageID
        let sender: ReportID
    }
    private var presences: [PresenceKey: ReportEvent] = [:]

    func add(_ reports: JudgedReports) -> Int {
        var added = 0
        for event in reports.events {
            guard !log.contains(where: { $0.sender == reports.sender && $0.event.event.sequence == event.sequence })
            else { continue }
            added += 1
            log.append(
                Stored(
                    sender: reports.sender,
                    event: DeviceEvent(channel: reports.channel, event: event, received: reports.received)))
            let key = CountKey(channel: reports.channel, key: ReportCount.Key(event))
            counters[key, default: ReportCount(key.key)].add(event)
            let place = StandingKey(channel: reports.channel, subject: ReportSubject(event), sender: reports.sender)
            if let network = reports.network, networks[place] == nil {
                networks[place] = network.reduce(0) { $0 << 8 | Int($1) }
            }
            if event.code == .present {
                let place = PresenceKey(channel: reports.channel, package: event.package, sender: reports.sender)
                if presences[place].map({ $0.sequence < event.sequence }) ?? true { presences[place] = event }
            }
            if event.code == .activated {
                stands[place, default: (nil, nil)].activated = stands[place]?.activated ?? event.time
            } else if let outcome = StandingCount.Outcome(event.code), stands[place]?.outcome != .failed {
                stands[place, default: (nil, nil)].outcome = outcome
            }
        }
        return added
    }

    func counts(on channel: ChannelName, package: PackageID?, from: Int, step: Int) -> [ReportCount] {
        var sums: [ReportCount.Key: ReportCount] = [:]
        for (key, count) in counters
        where key.channel == channel && key.key.hour >= from && (package == nil || key.key.subject.package == package) {
            let (own, start) = (key.key, key.key.hour - key.key.hour % step)
            let sumKey = ReportCount.Key(
                subject: own.subject, hour: start, code: own.code, phase: own.phase, fault: own.fault)
            var sum = sums[sumKey] ?? ReportCount(sumKey)
            let isFirst = sum.count == 0
            (sum.first, sum.last) = (
                isFirst ? own.hour : min(sum.first, own.hour), isFirst ? own.hour : max(sum.last, own.hour)
            )
            sum.count += count.count
            sum.measured += count.measured
            sum.wireByteCount += count.wireByteCount
            sum.zipByteCount += count.zipByteCount
            sum.web += count.web
            sums[sumKey] = sum
        }
        return Array(sums.values)
    }

    func standings(on channel: ChannelName, package: PackageID?, from: Int, recent: Int) -> [StandingCount] {
        struct Group: Hashable {
            let subject: ReportSubject
            let isRecent: Bool
            let outcome: StandingCount.Outcome?
        }
        var groups: [Group: (first: Int, devices: Int)] = [:]
        for (key, stand) in stands where key.channel == channel && (package == nil || key.subject.package == package) {
            guard let activated = stand.activated, activated >= from else { continue }
            let group = Group(subject: key.subject, isRecent: activated >= recent, outcome: stand.outcome)
            let sum = groups[group] ?? (activated, 0)
            groups[group] = (min(sum.first, activated), sum.devices + 1)
        }
        return groups.map {
            StandingCount(
                subject: $0.key.subject, activated: $0.value.first, outcome: $0.key.outcome, devices: $0.value.devices)
        }
    }

    func presences(on channel: ChannelName, package: PackageID?, from day: Int) throws -> [PresenceCount] {
        struct Alike: Hashable {
            let package: PackageID
            let version: SemanticVersion?
            let facts: ReportFacts?
        }
        var devices: [Alike: Int] = [:]
        for (key, event) in presences
        where key.channel == channel && (package == nil || key.package == package) && event.time / 86_400 >= day {
            devices[Alike(package: key.package, version: event.version, facts: event.facts), default: 0] += 1
        }
        return try devices.map { alike, devices in
            try PresenceCount(
                package: alike.package, version: #require(alike.version), facts: #require(alike.facts), devices: devices
            )
        }
    }

    func exposures(_ query: ExposureQuery) -> [ExposureCount] {
        stands.compactMap { key, stand in
            guard key.channel == query.channel, key.subject.package == query.package,
                key.subject.version == query.version, query.release == nil || key.subject.release == query.release,
                let activated = stand.activated, activated >= query.from
            else { return nil }
            return ExposureCount(
                network: networks[key], isMature: activated < query.matureBefore, outcome: stand.outcome, devices: 1)
        }
    }

    func prepare() {}

    func isUsed() -> Bool { !log.isEmpty }

    func events(of sender: ReportID) -> [DeviceEvent] {
        log.filter { $0.sender == sender }.map(\.event).sorted { $0.event.sequence < $1.event.sequence }
    }

    func delete(_ sender: ReportID) -> Int {
        let count = log.count
        log.removeAll { $0.sender == sender }
        stands = stands.filter { $0.key.sender != sender }
        presences = presences.filter { $0.key.sender != sender }
        return count - log.count
    }

    func prune(_ retention: ReportRetention, now: Int) {
        let cutoff = now - max(retention.days, ReportRetention.leastDays) * 86_400
        log.removeAll { $0.event.received < cutoff }
        log.removeFirst(max(0, log.count - retention.maximumEventCount))
        counters = counters.filter { $0.key.key.hour >= now - retention.counterDays * 86_400 }
        presences = presences.filter { $0.value.time / 86_400 >= now / 86_400 - PresenceCount.days }
        let senders = Set(log.map(\.sender))
        stands = stands.filter { key, stand in stand.activated.map { $0 >= cutoff } ?? senders.contains(key.sender) }
    }
}
