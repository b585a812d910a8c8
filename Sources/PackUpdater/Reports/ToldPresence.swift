import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `reports/told.json`: what the device said under its report id that it has, and when. Losing it costs one event a package.
struct ToldPresence: Equatable {
    /// Seconds after which the same is said again: whoever counts devices counts those of the last days.
    static let period = 7 * 86_400

    struct Entry: Equatable {
        let text: String
        /// Seconds since 1970.
        let time: Int
    }

    let id: ReportID
    var entries: [PackageID: Entry] = [:]

    init(id: ReportID) {
        self.id = id
    }

    init(parsing bytes: [UInt8]) throws {
        let json = try JSONValue(parsing: bytes).object()
        id = try ReportID(json.string("id"))
        for member in try json.object("packages").members {
            let entry = try member.value.object(member.key)
            entries[try PackageID(member.key)] = try Entry(text: entry.string("text"), time: entry.integer("time"))
        }
    }

    var bytes: [UInt8] {
        let packages = entries.map { package, entry in
            (package.text, JSONValue.object(["text": .string(entry.text), "time": .integer(entry.time)]))
        }
        let json: JSONObject = ["id": .string(id.text), "packages": .object(JSONObject(packages))]
        return Array(JSONValue.object(json).compactText.utf8)
    }

    /// Notes what is said of a package now.
    /// - Returns: whether it must be said: it is new, was changed, or was said too long ago.
    mutating func note(_ text: String, of package: PackageID, at now: Int) -> Bool {
        if let known = entries[package], known.text == text, (0..<Self.period).contains(now - known.time) {
            return false
        }
        entries[package] = Entry(text: text, time: now)
        return true
    }
}
