package import PackJSON

extension ReportEvent {
    private static let fields: Set<String> = [
        "sequence", "code", "time", "package", "version", "release", "phase", "error", "wireBytes", "zipBytes",
        "local", "online", "missed", "bytes", "platform", "osVersion", "appVersion",
    ]
    package static let largestByteCount = 1 << 40
    package static let largestCount = 1_000_000
    /// 2^53 - 1: every JSON parser reads it exactly.
    package static let largestSequence = 9_007_199_254_740_991
    /// Seconds since 1970.
    package static let largestTime = 1 << 40

    /// Whether a text may be the id of a release.
    package static func isRelease(_ text: some Collection<UInt8>) -> Bool {
        (1...64).contains(text.count) && text.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The names that the event before it had: those of a batch are mostly the same, and are parsed once.
    package struct Names {
        fileprivate var package: (text: String, value: PackageID)?
        fileprivate var version: (text: String, value: SemanticVersion)?

        package init() {}

        fileprivate mutating func package(_ text: String) throws -> PackageID {
            if let package, package.text == text { return package.value }
            let value = try PackageID(text)
            package = (text, value)
            return value
        }

        fileprivate mutating func version(_ text: String) throws -> SemanticVersion {
            if let version, version.text == text { return version.value }
            let value = try SemanticVersion(text)
            version = (text, value)
            return value
        }
    }

    package init?(json: JSONObject) throws {
        var names = Names()
        try self.init(json: json, &names)
    }

    /// - Returns: Nil for an event with a code or a field that this program does not know.
    /// - Throws: ``FormatError`` and `JSONError` for one that breaks a rule.
    package init?(json: JSONObject, _ names: inout Names) throws {
        guard json.members.allSatisfy({ Self.fields.contains($0.key) }),
            let code = try Code(rawValue: json.string("code"))
        else { return nil }
        try self.init(
            sequence: Self.number(json.integer("sequence"), "sequence", 1...Self.largestSequence), code: code,
            time: Self.number(json.integer("time"), "time", 0...Self.largestTime),
            package: names.package(json.string("package")),
            version: json["version"].map { try names.version($0.string("version")) },
            release: json["release"].map { try Self.release($0.string("release")) })
        // A word that is too new says that something failed, and not what.
        phase = try json["phase"].flatMap { try Phase(rawValue: $0.string("phase")) }
        fault = try json["error"].map { try Fault(rawValue: $0.string("error")) ?? .other }
        wireByteCount = try Self.count(json, "wireBytes", Self.largestByteCount)
        zipByteCount = try Self.count(json, "zipBytes", Self.largestByteCount)
        if code == .session {
            web = try WebCounters(
                local: Self.count(json, "local", Self.largestCount) ?? 0,
                online: Self.count(json, "online", Self.largestCount) ?? 0,
                missed: Self.count(json, "missed", Self.largestCount) ?? 0,
                byteCount: Self.count(json, "bytes", Self.largestByteCount) ?? 0)
        }
        if code == .present { facts = try ReportFacts(json: json) }
        // Only a gate is about a package as a whole.
        guard version != nil || code == .gateOff else { throw JSONError.missing(field: "version") }
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "sequence": .integer(sequence), "code": .string(code.rawValue), "time": .integer(time),
            "package": .string(package.text),
        ]
        json["version"] = version.map { .string($0.description) }
        json["release"] = release.map { .string($0) }
        json["phase"] = phase.map { .string($0.rawValue) }
        json["error"] = fault.map { .string($0.rawValue) }
        json["wireBytes"] = wireByteCount.map { .integer($0) }
        json["zipBytes"] = zipByteCount.map { .integer($0) }
        if let web {
            json["local"] = .integer(web.local)
            json["online"] = .integer(web.online)
            json["missed"] = .integer(web.missed)
            json["bytes"] = .integer(web.byteCount)
        }
        for member in facts?.json.members ?? [] { json[member.key] = member.value }
        return json
    }

    private static func count(_ json: JSONObject, _ field: String, _ largest: Int) throws -> Int? {
        try json[field].map { try number($0.integer(field), field, 0...largest) }
    }

    private static func number(_ value: Int, _ field: String, _ range: ClosedRange<Int>) throws -> Int {
        guard range.contains(value) else {
            throw JSONError.unexpected(
                field: field, wanted: "a number from \(range.lowerBound) to \(range.upperBound)", found: "\(value)")
        }
        return value
    }

    private static func release(_ text: String) throws -> String {
        guard isRelease(text.utf8) else {
            throw JSONError.unexpected(field: "release", wanted: "1 to 64 ASCII characters", found: "another text")
        }
        return text
    }
}
