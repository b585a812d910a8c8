import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistryServer

/// The quick reader of reports takes what devices write, and nothing that the reader of all JSON would read in another way.
@Suite("PlainReportReaderTests") struct PlainReportReaderTests {
    private static let sender = String(repeating: "0a", count: 16)

    private func document(_ events: [String], _ more: String = "") -> String {
        #"{"channel":"stable","events":[\#(events.joined(separator: ","))],"format":1,"sender":"\#(Self.sender)"\#(more)}"#
    }

    private func event(_ more: String = "", _ head: String = #""sequence":1,"code":"activated""#) -> String {
        #"{\#(head),"time":1800000000,"package":"shop","version":"1.0.0"\#(more)}"#
    }

    /// Whether the quick reader takes a text. What it takes must be what the other one reads.
    private func takes(_ text: String, _ place: SourceLocation = #_sourceLocation) -> Bool {
        takes(Array(text.utf8), place)
    }

    private func takes(_ bytes: [UInt8], _ place: SourceLocation = #_sourceLocation) -> Bool {
        guard let batch = PlainReportReader.read(bytes) else { return false }
        let other = try? ReportBatch(parsing: bytes)
        #expect(batch == other, "\(String(decoding: bytes, as: UTF8.self))", sourceLocation: place)
        return true
    }

    @Test func `it takes what devices write, of every code`() throws {
        for code in ReportEvent.Code.allCases where code != .present {
            var event = try ReportEvent(
                sequence: 7, code: code, time: 1_800_000_000, package: PackageID("shop"),
                version: SemanticVersion("1.0.0-rc.1+7"),
                release: "r7")
            switch code {
            case .failed: (event.phase, event.fault) = (.start, .neverConfirmed)
            case .downloaded: (event.wireByteCount, event.zipByteCount) = (1_200, 90_000)
            case .session: event.web = WebCounters(local: 40, online: 2, missed: 1, byteCount: 1 << 40)
            default: break
            }
            let batch = try ReportBatch(
                sender: ReportID(Self.sender), channel: ChannelName("stable"), events: Array(repeating: event, count: 3)
            )
            #expect(takes(JSONValue.object(batch.json).compactText), "\(code)")
            #expect(takes(JSONValue.object(batch.json).prettyText), "\(code)")
        }
        #expect(takes(document([])))
        #expect(takes(document([#"{"sequence":1,"code":"gateOff","time":0,"package":"shop"}"#])))
        // Members in another order, and names that change from event to event.
        #expect(
            takes(
                document([
                    event(#","release":"r1""#), event(#","release":"r2""#), event(), event(#","release":"r1""#),
                    #"{"version":"2.0.0","package":"blog","time":900,"code":"confirmed","sequence":9007199254740991}"#,
                    event(),
                ])))
    }

    @Test(arguments: [
        #"{"sequence":1,"code":"activated","time":1,"package":"shop","version":"1.0.0","colour":"red"}"#,
        #"{"sequence":1,"code":"exploded","time":1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":1,"code":"present","time":1,"package":"shop","version":"1.0.0","platform":"ios"}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"shop"}"#,
        #"{"sequence":1,"sequence":2,"code":"activated","time":1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":0,"code":"activated","time":1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":9007199254740992,"code":"activated","time":1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":01,"code":"activated","time":1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":1.0,"code":"activated","time":1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":1,"code":"activated","time":-1,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":1,"code":"activated","time":99999999999999999999,"package":"shop","version":"1.0.0"}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"sh\u006Fp","version":"1.0.0"}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"Shop!","version":"1.0.0"}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"shop","version":"1"}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"shop","version":"1.0.0","release":""}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"shop","version":"1.0.0","release":"a b"}"#,
        #"{"sequence":1,"code":"failed","time":1,"package":"shop","version":"1.0.0","phase":"later"}"#,
        #"{"sequence":1,"code":"failed","time":1,"package":"shop","version":"1.0.0","error":"new"}"#,
        #"{"sequence":1,"code":"downloaded","time":1,"package":"shop","version":"1.0.0","wireBytes":1099511627777}"#,
        #"{"sequence":1,"code":"session","time":1,"package":"shop","version":"1.0.0","local":1000001}"#,
        #"{"sequence":1,"code":"activated","time":1,"package":"shop","version":"1.0.0","version":null}"#,
        "{}", "[]", "1", #"{"sequence":1"#,
    ])
    func `it leaves to the other reader what is unusual or wrong`(_ event: String) {
        #expect(!takes(document([event])))
    }

    @Test func `it leaves other documents to the other reader`() {
        for text in [
            "", "{", "[]", "{}", document([event()]) + "x", document([event()], #","more":1"#),
            document([event()], #","format":1"#),
            document([event()]).replacing("\"format\":1", with: "\"format\":2"), document([event(), ""]),
            document([event()]).replacing(Self.sender, with: "0A"),
            document([event()]).replacing("stable", with: "St able"),
            document([event()]).replacing(#","sender":"\#(Self.sender)""#, with: ""),
            document(Array(repeating: event(), count: 501)), "\u{FEFF}" + document([event()]),
            document([event()]).replacing("shop", with: "schön"),
        ] { #expect(!takes(text), "\(text.prefix(200))") }
    }

    @Test func `of 200,000 changed documents it takes none that the other one reads in another way`() {
        var generator = SystemRandomNumberGenerator()
        let seeds = [
            document([
                event(), event(#","release":"r7","wireBytes":12,"zipBytes":34"#, #""sequence":12,"code":"downloaded""#),
            ]),
            document([
                event(
                    #","phase":"start","error":"late","local":1,"online":2,"missed":3,"bytes":4"#,
                    #""sequence":3,"code":"session""#)
            ]),
            document([#"{ "sequence" : 1 , "code" : "gateOff", "time":0,"package":"shop" }"#]),
        ].map { Array($0.utf8) }
        let pieces = [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e1", " ", "\n", "null", "\"version\":\"2.0.0\",",
            "1099511627777",
            "\u{0}", "\u{7F}", "é", "\"sequence\":5,", "present", "true",
        ].map { Array($0.utf8) }
        var taken = 0
        for _ in 0..<200_000 {
            var bytes = seeds.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 2: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: place)
                default:
                    let end = Int.random(in: place...min(place + 12, bytes.count), using: &generator)
                    bytes.insert(
                        contentsOf: Array(bytes[place..<end]), at: Int.random(in: 0...bytes.count, using: &generator))
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            if takes(bytes) { taken += 1 }
        }
        #expect(taken > 2_000, "few changes leave a sound document: \(taken)")
    }
}
