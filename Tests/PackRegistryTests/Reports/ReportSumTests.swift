import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// The sums of standings, which the statistics read in place of a row for each device.
struct ReportSumTests {
    private static let now = 1_800_000_000

    private static func sender(_ number: Int) throws -> ReportID {
        let hex = String(number, radix: 16)
        return try ReportID(String(repeating: "0", count: 32 - hex.count) + hex)
    }

    private static func standings(_ store: any ReportStore) async throws -> [String] {
        var all: [String] = []
        // Those since different times apart, so that no sum hides a wrong one.
        for hours in stride(from: 0, through: 1_000, by: 25) {
            all += try await store.standings(
                on: ChannelName("beta"), package: nil, from: now - 1_000 * 3600, recent: now - hours * 3600
            ).map { "\($0)" }.sorted()
        }
        return all
    }

    private static func presences(_ store: any ReportStore) async throws -> [String] {
        var all: [String] = []
        for days in 0...45 {
            all += try await store.presences(on: ChannelName("beta"), package: nil, from: now / 86_400 - days)
                .map { "\($0)" }.sorted()
        }
        return all
    }

    /// Devices that report, go on, fail, are deleted and forgotten.
    private static func live(
        _ stores: [any ReportStore], steps: Int, using dice: inout SeededGenerator
    ) async throws {
        let codes: [ReportEvent.Code] = [.activated, .activated, .confirmed, .failed, .rolledBack, .offered, .present]
        var sequence = 0
        for _ in 0..<steps {
            let device = try sender(Int.random(in: 1...40, using: &dice))
            let choice = Int.random(in: 0..<20, using: &dice)
            let events = try (0..<Int.random(in: 1...4, using: &dice)).map { _ in
                sequence += 1
                var event = try ReportEvent(
                    sequence: sequence, code: codes.randomElement(using: &dice) ?? .offered,
                    time: now - 900 * Int.random(in: 0...4_000, using: &dice), package: PackageID("shop"),
                    version: SemanticVersion("1.\(Int.random(in: 0...2, using: &dice)).0"), release: "r1")
                let platform = ["ios", "android", nil].randomElement(using: &dice) ?? nil
                event.facts = event.code == .present ? ReportFacts(platform: platform) : nil
                return event
            }
            var retention = ReportRetention()
            retention.days = Int.random(in: 8...60, using: &dice)
            for store in stores {
                switch choice {
                case 0: _ = try await store.delete(device)
                case 1: try await store.prune(retention, now: now)
                default:
                    _ = try await store.add(
                        JudgedReports(
                            sender: device, channel: ChannelName("beta"), events: events, received: events[0].time))
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `whatever devices report and whoever is deleted, the sums are what the devices come to`(seed: UInt64)
        async throws
    {
        let folder = try TemporaryFolder()
        let (memory, file) = (MemoryReportStore(), SQLiteReportStore(folder: RegistryFolder(folder.url)))
        let database = try await PostgresBench.reports()
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<6 {
            try await Self.live([memory, file, database], steps: 60, using: &dice)
            let expected = try await Self.standings(memory)
            #expect(try await Self.standings(file) == expected && !expected.isEmpty)
            #expect(try await Self.standings(database) == expected)
            let present = try await Self.presences(memory)
            #expect(try await Self.presences(file) == present && !present.isEmpty)
            #expect(try await Self.presences(database) == present)
        }
    }

    @Test func `the reports of an earlier program have the same sums once they are opened`() async throws {
        let folder = try TemporaryFolder()
        var dice = SeededGenerator(seed: 4)
        var before: [String] = []
        do {
            let store = SQLiteReportStore(folder: RegistryFolder(folder.url))
            try await Self.live([store], steps: 100, using: &dice)
            before = try await Self.standings(store)
        }
        let script = """
            import sqlite3, sys
            db = sqlite3.connect(sys.argv[1])
            for table in ["standing", "presence"]:
                for end in ["Added", "Changed", "Removed"]: db.execute(f"DROP TRIGGER {table}{end}")
                db.execute(f"DROP TABLE {table}Sum")
            # What a program of before never had.
            db.execute("DROP TABLE presence")
            db.execute("DROP TABLE eventLog")
            db.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, sender INTEGER, subject INTEGER)")
            print(db.execute("DELETE FROM grdb_migrations WHERE identifier >= '3'").rowcount)
            db.commit()
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", script, folder.url.appending(path: "reports.sqlite").path(percentEncoded: false),
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "3\n")
        let again = SQLiteReportStore(folder: RegistryFolder(folder.url))
        #expect(try await Self.standings(again) == before && !before.isEmpty)
        try await Self.live([again], steps: 10, using: &dice)
        #expect(try await Self.standings(again) != before)
    }
}
