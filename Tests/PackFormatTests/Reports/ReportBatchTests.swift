import PackJSON
import Testing

@testable import PackFormat

/// What a registry reads of a device's report.
@Suite("ReportBatchTests") struct ReportBatchTests {
    private static let sender = String(repeating: "0a", count: 16)

    private static func text(_ events: String, format: Int = 1, more: String = "") -> String {
        """
        {"format": \(format), "sender": "\(sender)", "channel": "beta", "events": [\(events)]\(more)}
        """
    }

    private static func event(_ sequence: Int = 1, _ more: String = "") -> String {
        """
        {"sequence": \(sequence), "code": "activated", "time": 1000, "package": "shop", "version": "1.0.0"\(more)}
        """
    }

    private static func read(_ text: String) throws -> ReportBatch { try ReportBatch(parsing: Array(text.utf8)) }

    @Test func `what a device writes is what a registry reads`() throws {
        var failed = try ReportEvent(
            sequence: 2, code: .failed, time: 1_800_000_123, package: PackageID("shop"),
            version: SemanticVersion("1.0.0"), release: "r7")
        failed.phase = .start
        failed.fault = .neverConfirmed
        var downloaded = failed
        downloaded = try ReportEvent(
            sequence: 3, code: .downloaded, time: 1_800_000_123, package: PackageID("shop"),
            version: SemanticVersion("1.0.0"))
        downloaded.wireByteCount = 1200
        downloaded.zipByteCount = 56_000
        var session = try ReportEvent(
            sequence: 4, code: .session, time: 1_800_000_123, package: PackageID("shop"),
            version: SemanticVersion("1.0.0"))
        session.web = WebCounters(local: 40, online: 2, missed: 1, byteCount: 90_000)
        let gate = try ReportEvent(sequence: 5, code: .gateOff, time: 0, package: PackageID("shop"))
        let batch = try ReportBatch(
            sender: ReportID(Self.sender), channel: ChannelName("beta"), events: [failed, downloaded, session, gate])
        #expect(try ReportBatch(parsing: Array(JSONValue.object(batch.json).compactText.utf8)) == batch)
        #expect(failed.time == 1_800_000_000, "a time is rounded down to a quarter of an hour")
    }

    @Test(arguments: [#""code": "teleported""#, #""code": "activated", "weather": "rain""#])
    func `an event that is too new is dropped and counted, and the others stand`(part: String) throws {
        let unknown = #"{"sequence": 2, \#(part), "time": 1000, "package": "shop", "version": "1.0.0"}"#
        let batch = try Self.read(Self.text("\(Self.event(1)), \(unknown), \(Self.event(3))"))
        #expect(batch.events.map(\.sequence) == [1, 3])
        #expect(batch.unknownCount == 1)
    }

    @Test func `a reason that is too new still counts as a failure`() throws {
        let event = """
            {"sequence": 1, "code": "failed", "time": 1000, "package": "shop", "version": "1.0.0",
             "phase": "landing", "error": "gravity"}
            """
        let read = try #require(try Self.read(Self.text(event)).events.first)
        #expect(read.code == .failed && read.phase == nil && read.fault == .other)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"format": 1}"#, text(event(), format: 2), text(event(), more: #", "user": "ann""#),
        text(event(0)), text(event(-1)), text(event(1, #", "wireBytes": -1"#)), text(event(1, #", "wireBytes": "1""#)),
        text(event(1, #", "release": """#)), text(event(1, #", "release": "a b""#)),
        text(#"{"sequence": 1, "code": "activated", "time": 1000, "package": "shop"}"#),
        text(#"{"sequence": 1, "code": "activated", "time": 1000, "package": "SHOP", "version": "1.0.0"}"#),
        text(#"{"sequence": 1, "code": "activated", "time": 1.5, "package": "shop", "version": "1.0.0"}"#),
        text("7"), text(event()) + "{}", text(event()).replacing("0a0a", with: "0A0A"),
        text(event(1, #", "phase": [[[[[[1]]]]]]"#)), text(event(1, ", \"error\": \"\u{0}\"")),
    ])
    func `what breaks a rule is refused as a whole`(text: String) {
        #expect(throws: (any Error).self) { try Self.read(text) }
    }

    @Test func `more events, bytes or levels than the limits are refused`() throws {
        let all = (1...500).map { Self.event($0) }.joined(separator: ",")
        #expect(try Self.read(Self.text(all)).events.count == 500)
        #expect(throws: FormatError.self) { try Self.read(Self.text("\(all),\(Self.event(501))")) }
        let padding = String(repeating: " ", count: ReportBatch.maximumByteCount)
        #expect(throws: FormatError.self) { try Self.read(Self.text(Self.event()) + padding) }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: (any Error).self) { try Self.read(deep) }
        let many = "[" + String(repeating: "0,", count: 100_000) + "0]"
        #expect(throws: (any Error).self) { try Self.read(many) }
    }

    @Test func `a refusal names the event and the field`() throws {
        let wrong = Self.event(2, #", "wireBytes": -1"#)
        do {
            _ = try Self.read(Self.text("\(Self.event(1)), \(wrong)"))
            Issue.record("it was read")
        } catch {
            #expect("\(error)".contains("event 2") && "\(error)".contains("wireBytes"), "\(error)")
        }
    }

    @Test func `random changes of a report never trap, and what is read keeps the limits`() {
        var generator = SystemRandomNumberGenerator()
        let sound = Array(Self.text((1...5).map { Self.event($0) }.joined(separator: ",")).utf8)
        for _ in 0..<3000 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[position] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let batch = try? ReportBatch(parsing: bytes) else { continue }
            #expect(batch.events.allSatisfy { $0.sequence > 0 && $0.time % ReportEvent.timeStep == 0 })
        }
    }
}
