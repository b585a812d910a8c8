package import PackJSON

extension ClientPolicy {
    /// `{"install": "nextPage", "network": "unmetered", "window": {"days": ["mon"], "from": "22:00", "to": "05:00"},
    /// "mandatory": true}`, without what is as always.
    package var json: JSONObject {
        var json: JSONObject = [:]
        json["install"] = install.map { .string($0.rawValue) }
        if network != .any { json["network"] = .string(network.rawValue) }
        json["window"] = window.map { .object($0.json) }
        if isMandatory { json["mandatory"] = true }
        return json
    }

    /// nil for a policy of which any part is not understood: a device that ignored it would take a release too early, or in
    /// another way than its publisher wants.
    package init?(json value: JSONValue) {
        guard let policy = try? Self.parsed(value) else { return nil }
        self = policy
    }

    private static func parsed(_ value: JSONValue) throws -> ClientPolicy {
        let json = try value.object("policy")
        try json.refuseKeys(outside: ["install", "network", "window", "mandatory"])
        return try ClientPolicy(
            install: json["install"].map { try known(Install(rawValue: $0.string("install")), "install") },
            network: json["network"].map { try known(Network(rawValue: $0.string("network")), "network") } ?? .any,
            window: json["window"].map { try LocalWindow(json: $0.object("window")) },
            isMandatory: json["mandatory"]?.bool("mandatory") ?? false)
    }

    private static func known<Value>(_ value: Value?, _ field: String) throws(FormatError) -> Value {
        guard let value else { throw .invalidPolicy("it has an unknown value of \"\(field)\"") }
        return value
    }
}

extension LocalWindow {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["from": .string(Self.text(from)), "to": .string(Self.text(to))]
        if days.count < Weekday.allCases.count {
            json["days"] = .array(Weekday.allCases.filter(days.contains).map { .string($0.rawValue) })
        }
        return json
    }

    fileprivate init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["days", "from", "to"])
        func minutes(_ key: String) throws -> Int {
            let text = try json.string(key)
            guard let minutes = Self.minutes(text) else {
                throw FormatError.invalidWindow(text, reason: "it is no time of day")
            }
            return minutes
        }
        let days = try json["days"]?.array("days").map { value in
            let name = try value.string("days")
            guard let day = Weekday(rawValue: name) else {
                throw FormatError.invalidWindow(name, reason: "it is no day")
            }
            return day
        }
        try self.init(days: Set(days ?? Weekday.allCases), from: minutes("from"), to: minutes("to"))
    }
}
