import PackFormat
package import PackJSON

extension ChannelSetting {
    /// The body of `POST /v1/channels/CHANNEL/settings`.
    package var json: JSONObject {
        switch self {
        case .gate(let package, let isOn):
            ["setting": "gate", "package": .string(package.text), "enabled": .bool(isOn)]
        case .poll(let poll): ["setting": "poll", "poll": poll.map { .object($0.json) } ?? .null]
        case .rules(let rules): ["setting": "rules", "rules": rules.map { .object($0.json) } ?? .null]
        case .group(let group):
            // Its bytes are canonical JSON.
            ["setting": "group", "group": (try? JSONValue(parsing: group.bytes)) ?? .null]
        case .removeGroup(let name): ["setting": "removeGroup", "name": .string(name)]
        }
    }

    package init(json: JSONObject) throws {
        let name = try json.string("setting")
        func only(_ fields: Set<String>) throws(JSONError) { try json.refuseKeys(outside: fields.union(["setting"])) }
        /// Null takes the setting back; a missing field is a mistake.
        func value(_ key: String) throws -> JSONObject? {
            let value = try json.required(key)
            return value == .null ? nil : try value.object(key)
        }
        switch name {
        case "gate":
            try only(["package", "enabled"])
            self = try .gate(PackageID(json.string("package")), isOn: json.bool("enabled"))
        case "poll":
            try only(["poll"])
            // Devices bring what is out of range into it; somebody who says it is told.
            self = try .poll(
                value("poll").map { poll in
                    try poll.refuseKeys(outside: ["seconds", "jitter"])
                    return try ChannelPoll(
                        seconds: poll.integer("seconds"), jitter: poll["jitter"]?.integer("jitter"))
                })
        case "rules":
            try only(["rules"])
            self = try .rules(value("rules").map { try WebRules(json: $0) })
        case "group":
            try only(["group"])
            self = try .group(DeviceGroup(parsing: JSONValue.object(json.object("group")).canonicalBytes))
        case "removeGroup":
            try only(["name"])
            self = try .removeGroup(json.string("name"))
        default:
            throw JSONError.unexpected(
                field: "setting", wanted: "gate, poll, rules, group or removeGroup", found: "\"\(name)\"")
        }
    }
}

extension ChannelSettings {
    package var json: JSONObject {
        var json: JSONObject = ["gatesOff": .array(gatesOff.map { .string($0.text) })]
        json["poll"] = poll.map { .object($0.json) }
        json["rules"] = rules.map { .object($0.json) }
        if !groups.isEmpty {
            json["groups"] = .object(JSONObject(groups.map { ($0.key, .integer($0.value)) }))
        }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            gatesOff: json.array("gatesOff").map { try PackageID($0.string("gatesOff")) },
            poll: json["poll"].map { try ChannelPoll(json: $0.object("poll")) },
            rules: json["rules"].map { try WebRules(json: $0.object("rules")) },
            groups: Dictionary(
                (json["groups"]?.object("groups").members ?? []).map { ($0.key, try $0.value.integer($0.key)) },
                uniquingKeysWith: { $1 }))
    }
}

extension SettingOutcome {
    package var json: JSONObject { ["changed": .bool(isChanged), "settings": .object(settings.json)] }

    package init(json: JSONObject) throws {
        try self.init(isChanged: json.bool("changed"), settings: ChannelSettings(json: json.object("settings")))
    }
}
