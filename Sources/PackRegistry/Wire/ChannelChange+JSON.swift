import PackFormat
import PackJSON

extension ChannelChange {
    /// The body of `POST /v1/channels/CHANNEL/packages/PACKAGE`.
    var json: JSONObject {
        switch self {
        case .offer(let version, let rollout):
            ["change": "offer", "version": .string(version.description), "percent": .integer(rollout.percent)]
        case .promote(let version?, let channel):
            ["change": "promote", "version": .string(version.description), "from": .string(channel.text)]
        case .promote(nil, let channel): ["change": "promote", "from": .string(channel.text)]
        case .percent(let rollout): ["change": "percent", "percent": .integer(rollout.percent)]
        case .rollBack(let version?): ["change": "rollBack", "to": .string(version.description)]
        case .rollBack(nil): ["change": "rollBack"]
        case .rollBackToEmbedded: ["change": "rollBackToEmbedded"]
        case .retry: ["change": "retry"]
        }
    }

    init(json: JSONObject) throws {
        let name = try json.string("change")
        func only(_ fields: Set<String>) throws(JSONError) { try json.refuseKeys(outside: fields.union(["change"])) }
        func version(_ key: String) throws -> SemanticVersion? {
            try json[key].map { try SemanticVersion($0.string(key)) }
        }
        switch name {
        case "offer":
            try only(["version", "percent"])
            self = try .offer(SemanticVersion(json.string("version")), Rollout(percent: json.integer("percent")))
        case "promote":
            try only(["version", "from"])
            self = try .promote(version("version"), from: ChannelName(json.string("from")))
        case "percent":
            try only(["percent"])
            self = try .percent(Rollout(percent: json.integer("percent")))
        case "rollBack":
            try only(["to"])
            self = try .rollBack(to: version("to"))
        case "rollBackToEmbedded":
            try only([])
            self = .rollBackToEmbedded
        case "retry":
            try only([])
            self = .retry
        default:
            throw JSONError.unexpected(field: "change", wanted: "a change of a channel", found: "\"\(name)\"")
        }
    }
}

extension ChannelOutcome {
    var json: JSONObject {
        var json: JSONObject = ["changed": .bool(isChanged), "releases": .array(releases.map { .object($0.json) })]
        if isNewChannel { json["newChannel"] = true }
        return json
    }

    init(json: JSONObject) throws {
        try self.init(
            isChanged: json.bool("changed"), isNewChannel: json["newChannel"]?.bool("newChannel") ?? false,
            releases: json.array("releases").map { try Release(json: $0.object("release")) })
    }
}
