import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackWeb

/// A page's requests as a table: `OUTCOME STATUS BYTES TIME METHOD URL  why`.
struct LastPageText {
    let text: String
    let json: JSONValue

    init(_ record: LastPage.Record) {
        let report = record.report
        let versions = report.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        var lines = ["page at \(record.time.ISO8601Format()), with \(versions.joined(separator: ", "))"]
        for entry in report.entries {
            let why = [entry.reason.rawValue, entry.detail].compactMap { $0 }.joined(separator: ": ")
            let columns = [
                Self.padded(entry.outcome.rawValue, 6), Self.padded(entry.status.map(String.init) ?? "-", 3),
                Self.padded(entry.byteCount.map { ByteCount.text($0) } ?? "-", 12, right: true),
                Self.padded(entry.milliseconds.map(Self.time) ?? "-", 10, right: true), entry.method, entry.url,
            ]
            lines.append(columns.joined(separator: "  ") + "  (\(why))")
        }
        for outcome in [PageReport.Outcome.local, .online, .missed] {
            let entries = report.entries.filter { $0.outcome == outcome }
            let bytes = entries.reduce(0) { $0 + ($1.byteCount ?? 0) }
            if !entries.isEmpty {
                lines.append(
                    "\(outcome.rawValue): \(CountText.text(entries.count, "request")), \(ByteCount.text(bytes))")
            }
        }
        if report.droppedCount > 0 { lines.append("and \(CountText.text(report.droppedCount, "more request"))") }
        text = lines.joined(separator: "\n")
        json = .object([
            "time": .string(record.time.ISO8601Format()),
            "versions": .object(JSONObject(report.versions.map { ($0.key, .string($0.value)) })),
            "requests": .array(report.entries.map { .object(Self.fields($0)) }),
            "dropped": .integer(report.droppedCount),
        ])
    }

    private static func fields(_ entry: PageReport.Entry) -> JSONObject {
        var fields: JSONObject = [
            "method": .string(entry.method), "url": .string(entry.url), "outcome": .string(entry.outcome.rawValue),
            "reason": .string(entry.reason.rawValue),
        ]
        fields["detail"] = entry.detail.map { .string($0) }
        fields["status"] = entry.status.map { .integer($0) }
        fields["bytes"] = entry.byteCount.map { .integer($0) }
        // JSON of ours has no fractions.
        fields["microseconds"] = entry.milliseconds.map { .integer(Int($0 * 1000)) }
        return fields
    }

    private static func time(_ milliseconds: Double) -> String {
        milliseconds.formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US"))) + " ms"
    }

    private static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }
}
