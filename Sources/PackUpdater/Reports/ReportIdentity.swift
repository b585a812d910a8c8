import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `reports/identity.json`: under which name a device reports, and when it may send again.
struct ReportIdentity: Equatable {
    var id: ReportID
    /// Seconds since 1970.
    var made: Int
    /// The sequence of the next event, unless a later one waits in the outbox.
    var next = 1
    /// Attempts in a row that came to nothing.
    var failures = 0
    /// Not before this time, in seconds since 1970.
    var notBefore = 0

    init(id: ReportID, made: Int) {
        self.id = id
        self.made = made
    }

    init(parsing bytes: [UInt8]) throws {
        let json = try JSONValue(parsing: bytes).object()
        try self.init(id: ReportID(json.string("id")), made: json.integer("made"))
        next = try max(1, json.integer("next"))
        failures = try max(0, json.integer("failures"))
        notBefore = try json.integer("notBefore")
    }

    var bytes: [UInt8] {
        let json: JSONObject = [
            "id": .string(id.text), "made": .integer(made), "next": .integer(next), "failures": .integer(failures),
            "notBefore": .integer(notBefore),
        ]
        return Array(JSONValue.object(json).compactText.utf8)
    }

    /// Seconds until the next attempt after so many that came to nothing: a quarter of an hour, then twice as long each
    /// time, a day at most.
    static func pause(afterFailures failures: Int) -> Int { min(86_400, 900 << min(max(0, failures - 1), 7)) }
}
