import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryPostgres

/// What every store of reports does, the twin in memory included.
@Suite("ReportStoreContractTests") struct ReportStoreContractTests {
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case memory, sqlite, postgres

        var testDescription: String { "\(self)" }
    }

    private struct Bench {
        let folder: TemporaryFolder
        let store: any ReportStore
        let beta: ChannelName
        static let now = 1_800_000_000

        init(_ kind: Kind) async throws {
            folder = try TemporaryFolder()
            beta = try ChannelName("beta")
            switch kind {
            case .memory: store = MemoryReportStore()
            case .sqlite: store = SQLiteReportStore(folder: RegistryFolder(folder.url))
            case .postgres: store = try await PostgresBench.reports()
            }
        }

        func sender(_ number: Int) throws -> ReportID {
            let hex = String(number, radix: 16)
            return try ReportID(String(repeating: "0", count: 32 - hex.count) + hex)
        }

        func event(
            _ sequence: Int, _ code: ReportEvent.Code, _ version: String = "1.0.0", _ package: String = "checkout",
            time: Int = Bench.now
        ) throws -> ReportEvent {
            try ReportEvent(
                sequence: sequence, code: code, time: time, package: PackageID(package),
                version: SemanticVersion(version), release: "r1")
        }

        @discardableResult
        func add(
            _ number: Int, _ events: ReportEvent..., received: Int = Bench.now, network: [UInt8]? = nil
        ) async throws -> Int {
            try await store.add(
                JudgedReports(
                    sender: sender(number), channel: beta, events: events, received: received, network: network))
        }

        /// All that the store answers about the channel, in one order.
        func picture() async throws -> [String] {
            let counts = try await store.counts(on: beta, package: nil, from: 0, step: 3600)
            let standings = try await store.standings(on: beta, package: nil, from: 0, recent: Bench.now - 900)
            return (counts.map { "\($0)" } + standings.map { "\($0)" }).sorted()
        }
    }

    @Test(arguments: Kind.allCases)
    func `an event that comes twice counts once, also within one batch`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        let event = try bench.event(1, .activated)
        #expect(try await bench.add(1, event, event, bench.event(2, .confirmed)) == 2)
        let before = try await bench.picture()
        #expect(try await bench.add(1, bench.event(2, .confirmed), event) == 0)
        #expect(try await bench.picture() == before)
        #expect(try await bench.add(2, event) == 1, "another device's first event is another one")
    }

    @Test(arguments: [Kind.sqlite, .postgres])
    func `whatever sequences come together, near and far, each counts once`(kind: Kind) async throws {
        let (memory, file) = (try await Bench(.memory), try await Bench(kind))
        var dice = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let base = [0, 900, 1_000_000].randomElement(using: &dice) ?? 0
            let events = try (0..<Int.random(in: 1...12, using: &dice)).map { _ in
                let far = Int.random(in: 0..<6, using: &dice) == 0
                return try memory.event(
                    base + Int.random(in: 1...(far ? 9_000 : 200), using: &dice), .offered)
            }
            let reports = try JudgedReports(
                sender: memory.sender(Int.random(in: 1...2, using: &dice)), channel: memory.beta, events: events,
                received: Bench.now)
            #expect(try await file.store.add(reports) == memory.store.add(reports))
        }
        for number in 1...2 {
            let stored = try await file.store.events(of: file.sender(number))
            #expect(
                try await stored
                    == memory.store.events(of: memory.sender(number)).sorted {
                        $0.event.sequence < $1.event.sequence
                    })
            #expect(try await file.store.delete(file.sender(number)) == stored.count && stored.count > 300)
        }
    }

    @Test(arguments: Kind.allCases)
    func `the order in which events come does not matter`(kind: Kind) async throws {
        let (one, other) = (try await Bench(kind), try await Bench(kind))
        let events = try [
            one.event(1, .activated), one.event(2, .confirmed), one.event(3, .failed), one.event(4, .rolledBack),
        ]
        for event in events { try await one.add(1, event) }
        for event in events.reversed() { try await other.add(1, event) }
        #expect(try await one.picture() == other.picture())
        let standing = try #require(
            try await one.store.standings(on: one.beta, package: nil, from: 0, recent: Bench.now - 900).first)
        #expect(standing.outcome == .failed && standing.devices == 1)
    }

    @Test(arguments: Kind.allCases)
    func `a package is answered alone, and what is earlier than asked for is left out`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        try await bench.add(
            1, bench.event(1, .activated), bench.event(2, .activated, "2.0.0", "help"),
            bench.event(3, .activated, "0.9.0", time: Bench.now - 86_400))
        let checkout = try PackageID("checkout")
        let from = Bench.now - 3600
        #expect(try await bench.store.counts(on: bench.beta, package: checkout, from: from, step: 3600).count == 1)
        #expect(
            try await bench.store.standings(on: bench.beta, package: checkout, from: from, recent: Bench.now - 900)
                .count == 1)
        #expect(try await bench.store.counts(on: bench.beta, package: nil, from: 0, step: 3600).count == 3)
        #expect(try await bench.store.counts(on: ChannelName("stable"), package: nil, from: 0, step: 3600).isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `hours of one step are one count, which knows its first and last hour`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        let midnight = Bench.now - Bench.now % 86_400
        for (index, hour) in [1, 5, 9, 26].enumerated() {
            try await bench.add(1, bench.event(index + 1, .failed, time: midnight + hour * 3600))
        }
        let days = try await bench.store.counts(on: bench.beta, package: nil, from: midnight, step: 86_400)
            .sorted { $0.key.hour < $1.key.hour }
        #expect(days.map(\.count) == [3, 1])
        #expect(days.map(\.key.hour) == [midnight, midnight + 86_400])
        #expect(days.map(\.first) == [midnight + 3600, midnight + 26 * 3600])
        #expect(days.map(\.last) == [midnight + 9 * 3600, midnight + 26 * 3600])
    }

    @Test(arguments: Kind.allCases)
    func `a device's events come back as they were, and are gone when it wants them gone`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        var failed = try bench.event(2, .failed)
        failed.phase = .download
        failed.fault = .damaged
        var session = try bench.event(3, .session)
        session.web = WebCounters(local: 7, online: 2, missed: 1, byteCount: 900)
        let events = try [bench.event(1, .activated), failed, session]
        for event in events.reversed() { try await bench.add(1, event) }
        try await bench.add(2, bench.event(1, .activated))
        #expect(try await bench.store.events(of: bench.sender(1)).map(\.event) == events)
        let counts = try await bench.store.counts(on: bench.beta, package: nil, from: 0, step: 3600).map(\.count)
            .reduce(0, +)
        #expect(try await bench.store.delete(bench.sender(1)) == 3)
        #expect(try await bench.store.delete(bench.sender(1)) == 0)
        #expect(try await bench.store.events(of: bench.sender(1)).isEmpty)
        #expect(try await bench.store.events(of: bench.sender(2)).count == 1)
        #expect(
            try await bench.store.standings(on: bench.beta, package: nil, from: 0, recent: Bench.now - 900).map(
                \.devices) == [1])
        let left = try await bench.store.counts(on: bench.beta, package: nil, from: 0, step: 3600).map(\.count).reduce(
            0, +)
        #expect(left == counts, "counts name nobody, and stay")
    }

    @Test(arguments: Kind.allCases)
    func `what is too old or too much goes, the oldest first, and counts stay longer`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        let old = Bench.now - 31 * 86_400
        try await bench.add(1, bench.event(1, .activated, time: old), received: old)
        for number in 2...5 { try await bench.add(number, bench.event(1, .activated)) }
        var retention = ReportRetention()
        try await bench.store.prune(retention, now: Bench.now)
        #expect(try await bench.store.events(of: bench.sender(1)).isEmpty)
        #expect(
            try await bench.store.standings(on: bench.beta, package: nil, from: 0, recent: Bench.now - 900).map(
                \.devices) == [4])
        #expect(try await bench.store.counts(on: bench.beta, package: nil, from: 0, step: 3600).count == 2)
        retention.maximumEventCount = 3
        try await bench.store.prune(retention, now: Bench.now)
        var left: [Int] = []
        for number in 1...5 { left.append(try await bench.store.events(of: bench.sender(number)).count) }
        #expect(left == [0, 0, 1, 1, 1])
        retention.counterDays = 30
        try await bench.store.prune(retention, now: Bench.now)
        #expect(try await bench.store.counts(on: bench.beta, package: nil, from: 0, step: 3600).count == 1)
    }

    @Test(arguments: Kind.allCases)
    func `many who report at once are all stored, each once`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        let added = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                let events = try (1...5).map { try bench.event($0, $0 == 1 ? .activated : .repaired) }
                let reports = try JudgedReports(
                    sender: bench.sender(number % 100), channel: bench.beta, events: events, received: Bench.now)
                group.addTask { try await bench.store.add(reports) }
            }
            return try await group.reduce(0, +)
        }
        #expect(added == 500)
        let counts = try await bench.store.counts(on: bench.beta, package: nil, from: 0, step: 3600)
        #expect(counts.map(\.count).reduce(0, +) == 500)
        #expect(
            try await bench.store.standings(on: bench.beta, package: nil, from: 0, recent: Bench.now - 900).map(
                \.devices) == [100])
    }

    @Test(arguments: Kind.allCases)
    func `a gate sees each device once, by network, age and outcome`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        for number in 1...3 {
            try await bench.add(
                number, bench.event(1, .activated), bench.event(2, number == 1 ? .confirmed : .failed),
                network: [192, 0, UInt8(number)])
        }
        // Of the same network as the third, and long silent.
        try await bench.add(4, bench.event(1, .activated, time: Bench.now - 86_400), network: [192, 0, 3])
        // What came before the release, another version, and what never became active do not count.
        try await bench.add(5, bench.event(1, .activated, time: Bench.now - 3 * 86_400), network: [192, 0, 5])
        try await bench.add(6, bench.event(1, .activated, "2.0.0"), bench.event(2, .failed, "1.0.0"))
        func seen(_ release: String?) async throws -> [ExposureCount] {
            try await bench.store.exposures(
                ExposureQuery(
                    channel: bench.beta, package: PackageID("checkout"), version: SemanticVersion("1.0.0"),
                    release: release, from: Bench.now - 86_400, matureBefore: Bench.now - 3600))
        }
        let all = try await seen(nil)
        #expect(all.map(\.devices).reduce(0, +) == 4)
        let failedLately = all.filter { (row: ExposureCount) -> Bool in row.outcome == .failed && !row.isMature }
        #expect(failedLately.map(\.devices).reduce(0, +) == 2)
        #expect(all.filter { $0.outcome == .confirmed }.map(\.devices) == [1])
        #expect(all.filter { $0.outcome == nil && $0.isMature }.map(\.devices) == [1])
        // Two of 1,024 numbers may be the same, with this many networks rarely.
        #expect((2...3).contains(Set(all.map(\.network)).count) && all.allSatisfy { $0.network != nil })
        let own = try await seen("r1")
        #expect(Set(own) == Set(all) && own.count == all.count)
        #expect(try await seen("r2").isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `of what a device says that it has the last counts, in whatever order it comes`(kind: Kind) async throws {
        let bench = try await Bench(kind)
        let (day, checkout) = (Bench.now / 86_400, try PackageID("checkout"))
        func present(
            _ sequence: Int, _ version: String, _ platform: String?, _ package: String = "checkout", daysAgo: Int = 0
        ) throws -> ReportEvent {
            var event = try bench.event(
                sequence, .present, version, package, time: Bench.now - daysAgo * 86_400)
            event.facts = ReportFacts(platform: platform, osVersion: "17.4", appVersion: "3.2 (17)")
            return event
        }
        func seen(_ package: PackageID?, from: Int = day - PresenceCount.days) async throws -> [String] {
            try await bench.store.presences(on: bench.beta, package: package, from: from).map {
                "\($0.package) \($0.version) \($0.facts.platform ?? "-") \($0.devices)"
            }.sorted()
        }
        try await bench.add(1, present(3, "1.1.0", "ios"), present(4, "2.0.0", "ios", "help"))
        try await bench.add(1, present(2, "1.0.0", "ios"))
        try await bench.add(2, present(1, "1.0.0", "ios", daysAgo: 3), present(2, "1.1.0", "ios", daysAgo: 1))
        try await bench.add(3, present(1, "1.1.0", nil, daysAgo: 10))
        #expect(try await seen(nil) == ["checkout 1.1.0 ios 2", "help 2.0.0 ios 1"])
        #expect(try await seen(checkout) == ["checkout 1.1.0 ios 2"])
        #expect(try await seen(checkout, from: day) == ["checkout 1.1.0 ios 1"])
        #expect(try await seen(checkout, from: 0) == ["checkout 1.1.0 - 1", "checkout 1.1.0 ios 2"])
        #expect(try await bench.store.events(of: bench.sender(1)).last?.event == present(4, "2.0.0", "ios", "help"))
        #expect(try await bench.store.presences(on: ChannelName("stable"), package: nil, from: 0).isEmpty)
        _ = try await bench.store.delete(bench.sender(1))
        #expect(try await seen(nil) == ["checkout 1.1.0 ios 1"])
        try await bench.store.prune(ReportRetention(), now: Bench.now)
        #expect(try await seen(nil, from: 0) == ["checkout 1.1.0 ios 1"])
    }

    @Test func `two servers that get the same and other events at once store each once`() async throws {
        let schema = PostgresBench.newSchema()
        let (one, other) = (try await PostgresBench.reports(schema), try await PostgresBench.reports(schema))
        let bench = try await Bench(.memory)
        let added = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                let events = try (1...5).map { try bench.event($0, $0 == 1 ? .activated : .confirmed) }
                let reports = try JudgedReports(
                    sender: bench.sender(number % 40), channel: bench.beta, events: events, received: Bench.now,
                    network: [10, 0, UInt8(number)])
                for store in [one, other] { group.addTask { try await store.add(reports) } }
            }
            return try await group.reduce(0, +)
        }
        #expect(added == 200)
        let standings = try await one.standings(on: bench.beta, package: nil, from: 0, recent: 0)
        #expect(standings.map(\.devices) == [40] && standings.first?.outcome == .confirmed)
        #expect(
            try await other.counts(on: bench.beta, package: nil, from: 0, step: 3600).map(\.count).reduce(0, +) == 200)
    }

    @Test func `a registry that nobody has reported to has no file for it`() async throws {
        let bench = try await Bench(.sqlite)
        #expect(try await bench.picture().isEmpty)
        #expect(try await bench.store.delete(bench.sender(1)) == 0)
        try await bench.store.prune(ReportRetention(), now: Bench.now)
        #expect(try bench.folder.listing("").filter { $0.contains("reports") }.isEmpty)
    }
}
