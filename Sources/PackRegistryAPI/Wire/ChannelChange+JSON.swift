import PackFormat
package import PackJSON

extension ChannelChange {
    /// The body of `POST /v1/channels/CHANNEL/packages/PACKAGE`.
    package var json: JSONObject {
        // What is as it always was is left out, so that an older registry understands all that it can do.
        var json: JSONObject
        switch self {
        case .offer(let version, let rollout, let consent):
            json = ["change": "offer", "version": .string(version.description)]
            json["percent"] = rollout.map { .integer($0.percent) }
            for (name, option) in Self.consents where consent.contains(option) { json[name] = true }
        case .promote(let version, let channel, let rollout, let consent):
            json = ["change": "promote", "from": .string(channel.text)]
            json["version"] = version.map { .string($0.description) }
            if rollout != .everyone { json["percent"] = .integer(rollout.percent) }
            for (name, option) in Self.consents where consent.contains(option) { json[name] = true }
        case .percent(let rollout, let version):
            json = ["change": "percent", "percent": .integer(rollout.percent)]
            json["version"] = version.map { .string($0.description) }
        case .rollBack(let version):
            json = ["change": "rollBack"]
            json["to"] = version.map { .string($0.description) }
        case .rollBackToEmbedded: json = ["change": "rollBackToEmbedded"]
        case .retry(let version):
            json = ["change": "retry"]
            json["version"] = version.map { .string($0.description) }
        }
        return json
    }

    private static let consents: [String: OfferConsent] = ["again": .again, "older": .older]

    package init(json: JSONObject) throws {
        let name = try json.string("change")
        func only(_ fields: Set<String>) throws(JSONError) { try json.refuseKeys(outside: fields.union(["change"])) }
        func version(_ key: String) throws -> SemanticVersion? {
            try json[key].map { try SemanticVersion($0.string(key)) }
        }
        func rollout() throws -> Rollout? { try json["percent"].map { try Rollout(percent: $0.integer("percent")) } }
        func consent() throws -> OfferConsent {
            try Self.consents.reduce(into: OfferConsent()) { consent, entry in
                if try json[entry.key]?.bool(entry.key) ?? false { consent.insert(entry.value) }
            }
        }
        switch name {
        case "offer":
            try only(Set(["version", "percent"]).union(Self.consents.keys))
            self = try .offer(SemanticVersion(json.string("version")), rollout(), consent: consent())
        case "promote":
            try only(Set(["version", "from", "percent"]).union(Self.consents.keys))
            self = try .promote(
                version("version"), from: ChannelName(json.string("from")), rollout() ?? .everyone, consent: consent())
        case "percent":
            try only(["percent", "version"])
            self = try .percent(Rollout(percent: json.integer("percent")), of: version("version"))
        case "rollBack":
            try only(["to"])
            self = try .rollBack(to: version("to"))
        case "rollBackToEmbedded":
            try only([])
            self = .rollBackToEmbedded
        case "retry":
            try only(["version"])
            self = try .retry(of: version("version"))
        default:
            throw JSONError.unexpected(field: "change", wanted: "a change of a channel", found: "\"\(name)\"")
        }
    }
}

extension ChannelOutcome {
    package var json: JSONObject {
        var json: JSONObject = ["changed": .bool(isChanged), "releases": .array(releases.map { .object($0.json) })]
        if isNewChannel { json["newChannel"] = true }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            isChanged: json.bool("changed"), isNewChannel: json["newChannel"]?.bool("newChannel") ?? false,
            releases: json.array("releases").map { try Release(json: $0.object("release")) })
    }
}
