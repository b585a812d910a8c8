public import PackFormat
package import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One line of the device's log: what happened, and why.
public struct Event: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A check with the registry began or failed.
        case checked, checkFailed = "check-failed"
        /// The version that the channel offers to this device, and the steps of the rollout that led to it.
        case decided
        case refused, downloaded, fellBack = "fell-back", staged, activated, started, confirmed
        case confirmationRefused = "confirmation-refused"
        case rolledBack = "rolled-back", failed, repaired, collected, preset, imported
        /// A kind that this version does not know, because a newer one wrote it.
        case unknown
    }

    public let time: Date
    public let kind: Kind
    public let package: PackageID?
    public let version: SemanticVersion?
    public let why: String

    public init(time: Date, kind: Kind, package: PackageID?, version: SemanticVersion?, why: String) {
        self.time = time
        self.kind = kind
        self.package = package
        self.version = version
        self.why = why
    }

    /// What of a text goes into the log and into `state.json`: registries and pages give such texts, and both files
    /// are bounded. Cut between characters of Unicode.
    /// - Parameter limit: bytes.
    static func shortened(_ text: String, to limit: Int = 4096) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}

extension Event {
    init(json: JSONObject) throws {
        kind = try Kind(rawValue: json.string("event")) ?? .unknown
        time = try Date(timeIntervalSince1970: Double(json.integer("time")))
        package = try json["package"].map { try PackageID($0.string("package")) }
        version = try json["version"].map { try SemanticVersion($0.string("version")) }
        why = try json.string("why")
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "event": .string(kind.rawValue), "time": .integer(Int(time.timeIntervalSince1970)),
            "why": .string(Self.shortened(why)),
        ]
        json["package"] = package.map { .string($0.text) }
        json["version"] = version.map { .string($0.description) }
        return json
    }
}
