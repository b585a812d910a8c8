import Foundation
import PackFormat
import PackJSON
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// The events of a batch as one value of a database.
struct EventLogTests {
    private static func event(
        _ sequence: Int, _ code: ReportEvent.Code, time: Int = 1_800_000_000
    ) throws -> ReportEvent {
        try ReportEvent(
            sequence: sequence, code: code, time: time, package: PackageID("shop"), version: SemanticVersion("1.0.0"),
            release: "r1")
    }

    private static func events(_ count: Int, using dice: inout SeededGenerator) throws -> [ReportEvent] {
        var sequence = 0
        return try (0..<count).map { _ in
            sequence += Int.random(in: 1...(Bool.random(using: &dice) ? 3 : 1 << 40), using: &dice)
            var event = try event(
                sequence, ReportEvent.Code.allCases.randomElement(using: &dice) ?? .offered,
                time: Int.random(in: 0...(1 << 40), using: &dice))
            event.phase = Bool.random(using: &dice) ? ReportEvent.Phase.allCases.randomElement(using: &dice) : nil
            event.fault = Bool.random(using: &dice) ? ReportEvent.Fault.allCases.randomElement(using: &dice) : nil
            event.wireByteCount = Bool.random(using: &dice) ? Int.random(in: 0...(1 << 40), using: &dice) : nil
            event.zipByteCount = Bool.random(using: &dice) ? Int.random(in: 0...(1 << 40), using: &dice) : nil
            if event.code == .session { event.web = WebCounters(local: 1, online: 200, missed: 70_000, byteCount: 9) }
            if event.code == .present { event.facts = ReportFacts(platform: "ios", osVersion: "17.4") }
            return event
        }
    }

    private static func read(_ bytes: [UInt8]) throws -> [ReportEvent] {
        let entries = try #require(EventLog.entries(in: bytes))
        return try entries.map {
            #expect($0.subject == 700)
            return try $0.event(package: PackageID("shop"), version: SemanticVersion("1.0.0"), release: "r1")
        }
    }

    @Test func `all that an event can say comes back`() throws {
        var dice = SeededGenerator(seed: 7)
        for count in [0, 1, 2, 5, 500] {
            let events = try Self.events(count, using: &dice)
            var log = EventLog()
            for event in events { log.append(event, subject: 700) }
            #expect(log.count == count)
            #expect(try Self.read(log.bytes) == events)
        }
        for code in ReportEvent.Code.allCases { #expect(ReportEvent.Code(logNumber: code.logNumber) == code) }
        for phase in ReportEvent.Phase.allCases { #expect(ReportEvent.Phase(logNumber: phase.logNumber) == phase) }
        for fault in ReportEvent.Fault.allCases { #expect(ReportEvent.Fault(logNumber: fault.logNumber) == fault) }
    }

    @Test func `the bytes of format 1 stay what they are`() throws {
        var downloaded = try Self.event(7, .downloaded)
        downloaded.wireByteCount = 300
        var failed = try Self.event(9, .failed, time: 1_799_999_100)
        (failed.phase, failed.fault) = (.start, .late)
        var log = EventLog()
        log.append(downloaded, subject: 2)
        log.append(failed, subject: 130)
        // 1,800,000,000 / 900 = 2,000,000, twice that as LEB128 is 80 92 F4 01; 300 is AC 02; one step back is 3; 130 is 82 01.
        let bytes: [UInt8] = [
            1, 7, 9, 0x80, 0x92, 0xF4, 0x01, 2, 2, 4, 0xAC, 0x02, 2, 7, 3, 0x82, 0x01, 6, 3, 4, 10,
        ]
        #expect(log.bytes == bytes)
        #expect(EventLog.sequences(in: bytes) == [7, 9])
        // A code and a member of a later program: the others are read.
        var later = bytes
        later[8] = 77
        #expect(EventLog.entries(in: later)?.map(\.sequence) == [9] && EventLog.sequences(in: later) == [7, 9])
        later = bytes
        later[18] = 64
        #expect(EventLog.entries(in: later)?.map(\.sequence) == [7])
    }

    @Test func `damaged bytes are refused or read, and never more`() throws {
        var dice = SeededGenerator(seed: 8)
        var log = EventLog()
        for event in try Self.events(40, using: &dice) { log.append(event, subject: 700) }
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = log.bytes
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                bytes[Int.random(in: bytes.indices, using: &dice)] = UInt8.random(in: .min ... .max, using: &dice)
            }
            if Bool.random(using: &dice) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &dice)) }
            guard let entries = EventLog.entries(in: bytes) else {
                refused += 1
                continue
            }
            let sequences = EventLog.sequences(in: bytes)
            #expect(sequences.map { Set($0).isSuperset(of: entries.map(\.sequence)) } == true)
            for (one, next) in zip(entries, entries.dropFirst()) { #expect(one.sequence < next.sequence) }
        }
        #expect(refused > 5_000 && refused < 20_000, "\(refused)")
        #expect(EventLog.entries(in: []) == nil)
        #expect(EventLog.entries(in: [2]) == nil)
        #expect(EventLog.entries(in: [1] + [UInt8](repeating: 0xFF, count: 40)) == nil)
    }

    @Test func `a damaged row of one device keeps no other out, and is deleted when that is asked for`() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteReportStore(folder: RegistryFolder(folder.url))
        func reports(_ sender: Character, _ sequences: [Int]) throws -> JudgedReports {
            try JudgedReports(
                sender: ReportID(String(repeating: sender, count: 32)), channel: ChannelName("beta"),
                events: sequences.map { try Self.event($0, .offered) }, received: 1_800_000_000)
        }
        #expect(try await store.add(reports("a", [1, 2])) == 2)
        #expect(try await store.add(reports("b", [1, 2])) == 2)
        try folder.change(
            "reports.sqlite",
            "UPDATE eventLog SET events = x'01FF' WHERE sender = 1; UPDATE eventLog SET total = 9223372036854775807 WHERE id = 2"
        )
        #expect(try await store.add(reports("a", [3])) == 1)
        #expect(try await store.add(reports("b", [2, 3])) == 1)
        let error = await #expect(throws: RegistryError.self) {
            try await store.events(of: reports("a", []).sender)
        }
        #expect(error?.message.contains("damaged") == true)
        #expect(try await store.events(of: reports("b", []).sender).count == 3)
        #expect(try await store.delete(reports("a", []).sender) == 1)
        #expect(try await store.events(of: reports("a", []).sender).isEmpty)
        var retention = ReportRetention()
        retention.maximumEventCount = 1
        try await store.prune(retention, now: 1_800_000_000)
    }

    @Test func `rows of an earlier program that break a rule are left out, and the others move`() async throws {
        let folder = try TemporaryFolder()
        try folder.unpack("reports-4.tar.gz")
        try folder.change(
            "reports.sqlite",
            """
            UPDATE event SET sequence = -9223372036854775807 WHERE id = 1; UPDATE event SET facts = 'no' WHERE code = 'present';
            UPDATE event SET wire = -5 WHERE code = 'downloaded' AND sender = 1; UPDATE subject SET version = '?' WHERE version = ''
            """)
        let store = SQLiteReportStore(folder: RegistryFolder(folder.url))
        let codes = try await store.events(of: ReportID(String(repeating: "1", count: 32))).map(\.event.code)
        #expect(codes == ReportEvent.Code.allCases.filter { $0 != .offered && $0 != .present })
        #expect(try await store.events(of: ReportID(String(repeating: "3", count: 32))).count == 699)
    }

    /// Tests/Data/reports-4.tar.gz has a `reports.sqlite` of the schema with a row for each event.
    @Test func `the events of an earlier program are all there once its file is opened`() async throws {
        let folder = try TemporaryFolder()
        try folder.unpack("reports-4.tar.gz")
        let store = SQLiteReportStore(folder: RegistryFolder(folder.url))
        var lines: [String] = []
        for number in 1...4 {
            for event in try await store.events(of: ReportID(String(repeating: "\(number)", count: 32))) {
                let json = JSONValue.object(event.event.json).compactText
                lines.append("\(number) \(event.channel) \(event.received) \(json)")
            }
        }
        let expected = try String(contentsOf: folder.url.appending(path: "expected.txt"), encoding: .utf8)
        #expect(lines.joined(separator: "\n") + "\n" == expected)
        // They are known: none counts again.
        let again = try await store.events(of: ReportID(String(repeating: "2", count: 32)))
        let added = try await store.add(
            JudgedReports(
                sender: ReportID(String(repeating: "2", count: 32)), channel: ChannelName("stable"),
                events: again.map(\.event), received: 1_800_000_000))
        #expect(added == 0 && !again.isEmpty)
    }
}

extension TemporaryFolder {
    /// Changes a database as nothing of the product does.
    fileprivate func change(_ name: String, _ sql: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", url.appending(path: name).path(percentEncoded: false), sql]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
