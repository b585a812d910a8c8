package import Foundation
package import PackJSON

/// Times on the wire: RFC 3339 in UTC with milliseconds, as in `2026-11-21T14:37:54.123Z`.
package enum WireTime {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Formatting drops what is below a millisecond, so a parsed time would lose one millisecond each time it is
    /// written. Half a millisecond more turns this into rounding.
    package static func text(_ date: Date) -> String { date.addingTimeInterval(0.0005).formatted(style) }

    package static func date(_ text: String, field: String) throws(JSONError) -> Date {
        if let date = try? style.parse(text) { return date }
        if let date = try? Date.ISO8601FormatStyle().parse(text) { return date }
        throw .unexpected(field: field, wanted: "a time such as 2026-11-21T14:37:54.123Z", found: "\"\(text)\"")
    }
}

extension JSONObject {
    package func date(_ key: String) throws -> Date { try WireTime.date(string(key), field: key) }

    package func optionalDate(_ key: String) throws -> Date? {
        try self[key].map { try WireTime.date($0.string(key), field: key) }
    }
}
