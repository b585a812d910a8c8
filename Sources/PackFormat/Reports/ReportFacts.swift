package import PackJSON

/// What a device says about itself in a report, if its app lets it: the platform, the app's version, and two numbers of the
/// system's. It is part of an event with the code ``ReportEvent/Code/present``.
package struct ReportFacts: Hashable, Sendable, CustomStringConvertible {
    /// The longest value in bytes.
    package static let maximumLength = 64

    /// Such as `ios`.
    package var platform: String?
    /// The first two numbers, such as `17.4`.
    package var osVersion: String?
    /// As the app's store has it, without build metadata.
    package var appVersion: String?

    package init(platform: String? = nil, osVersion: String? = nil, appVersion: String? = nil) {
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
    }

    /// Those of a decision that may be reported. Locale, region, model, tags and groups are not: together they could tell
    /// one device from all others.
    package init(_ facts: DeviceFacts) {
        platform = facts.platform.flatMap { Self.isSound($0) ? $0.lowercased() : nil }
        osVersion = facts.osVersion?.coarse
        appVersion = facts.appVersion.map(\.withoutMetadata).flatMap { Self.isSound($0) ? $0 : nil }
    }

    /// Members that this program does not know are passed over.
    /// - Throws: `JSONError` for a value that is too long or not printable ASCII, and ``FormatError`` for a text that is no
    ///   version.
    package init(json: JSONObject) throws {
        platform = try Self.value(json, "platform")
        osVersion = try Self.value(json, "osVersion")
        appVersion = try Self.value(json, "appVersion")
        for version in [osVersion, appVersion] { _ = try version.map { try AppVersion($0) } }
    }

    package var json: JSONObject {
        var json = JSONObject()
        json["platform"] = platform.map { .string($0) }
        json["osVersion"] = osVersion.map { .string($0) }
        json["appVersion"] = appVersion.map { .string($0) }
        return json
    }

    /// `ios, system 17.4, app 3.2`.
    package var description: String {
        let parts = [platform, osVersion.map { "system \($0)" }, appVersion.map { "app \($0)" }].compactMap { $0 }
        return parts.isEmpty ? "nothing known" : parts.joined(separator: ", ")
    }

    private static func value(_ json: JSONObject, _ field: String) throws -> String? {
        guard let text = try json[field]?.string(field) else { return nil }
        guard isSound(text) else {
            throw JSONError.unexpected(
                field: field, wanted: "1 to \(maximumLength) ASCII characters", found: "another text")
        }
        return text
    }

    private static func isSound(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}
