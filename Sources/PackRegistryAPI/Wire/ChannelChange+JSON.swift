import PackFormat
package import PackJSON

extension ChannelChange {
    /// The body of `POST /v1/channels/CHANNEL/packages/PACKAGE`.
    package var json: JSONObject {
        // What is as it always was is left out, so that an older registry understands all that it can do.
        var json: JSONObject
        switch self {
        case .offer(let version, let rollout, let policy, let consent):
            json = ["change": "offer", "version": .string(version.description)]
            if let rollout { json.set(rollout) }
            json["policy"] = policy.map { .object($0.json) }
            json.set(consent)
        case .promote(let version, let channel, let rollout, let policy, let consent):
            json = ["change": "promote", "from": .string(channel.text)]
            json["version"] = version.map { .string($0.description) }
            if rollout != .everyone { json.set(rollout) }
            json["policy"] = policy.map { .object($0.json) }
            json.set(consent)
        case .setRollout(let share, let audiences, let policy, let version):
            json = ["change": "percent"]
            if let share { json.set(share) }
            if let audiences { json["audiences"] = .array(audiences.map(\.json)) }
            json["policy"] = policy.map { .object($0.json) }
            json["version"] = version.map { .string($0.description) }
        case .rollBack(let version):
            json = ["change": "rollBack"]
            json["to"] = version.map { .string($0.description) }
        case .rollBackToEmbedded: json = ["change": "rollBackToEmbedded"]
        case .retry(let version):
            json = ["change": "retry"]
            json["version"] = version.map { .string($0.description) }
        case .accepting(let consent, let change):
            json = change.json
            json.set(consent)
        }
        return json
    }

    package init(json: JSONObject) throws {
        let name = try json.string("change")
        func only(_ fields: Set<String>) throws(JSONError) { try json.refuseKeys(outside: fields.union(["change"])) }
        func version(_ key: String) throws -> SemanticVersion? {
            try json[key].map { try SemanticVersion($0.string(key)) }
        }
        func policy() throws -> ClientPolicy? {
            try json["policy"].map { value in
                guard let policy = ClientPolicy(json: value) else {
                    throw JSONError.unexpected(
                        field: "policy", wanted: "a policy that this registry knows", found: value.compactText)
                }
                return policy
            }
        }
        switch name {
        case "offer":
            try only(OfferConsent.fields.union(["version", "percent", "share", "audiences", "policy"]))
            self = try .offer(
                SemanticVersion(json.string("version")), json.rollout(), policy: policy(), consent: json.consent())
        case "promote":
            try only(OfferConsent.fields.union(["version", "from", "percent", "share", "audiences", "policy"]))
            self = try .promote(
                version("version"), from: ChannelName(json.string("from")), json.rollout() ?? .everyone,
                policy: policy(), consent: json.consent())
        case "percent":
            try only(["percent", "share", "audiences", "policy", "version", "despiteState"])
            let (share, audiences, policy) = try (json.oneShare(), json.audiences(), policy())
            guard share != nil || audiences != nil || policy != nil else { throw JSONError.missing(field: "percent") }
            self = try Self.setRollout(share, audiences: audiences, policy: policy, of: version("version")).with(json)
        case "rollBack":
            try only(["to", "again", "despiteState"])
            self = try Self.rollBack(to: version("to")).with(json)
        case "rollBackToEmbedded":
            try only(["despiteState"])
            self = try Self.rollBackToEmbedded.with(json)
        case "retry":
            try only(["version"])
            self = try .retry(of: version("version"))
        default:
            throw JSONError.unexpected(field: "change", wanted: "a change of a channel", found: "\"\(name)\"")
        }
    }
}

extension ChannelChange {
    /// With the consent of a document, if it has one.
    private func with(_ json: JSONObject) throws -> ChannelChange {
        let consent = try json.consent()
        return consent.isEmpty ? self : .accepting(consent, self)
    }
}

extension ChannelOutcome {
    package var json: JSONObject {
        var json: JSONObject = ["changed": .bool(isChanged), "releases": .array(releases.map { .object($0.json) })]
        if isNewChannel { json["newChannel"] = true }
        if !others.isEmpty {
            json["others"] = .object(
                JSONObject(others.map { ($0.key.text, .array($0.value.map { .object($0.json) })) }))
        }
        if !effect.isEmpty { json["effect"] = .string(effect) }
        if approvals > 0 { json["approvals"] = .integer(approvals) }
        if !planNotes.isEmpty { json["planNotes"] = .array(planNotes.map { .string($0) }) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            isChanged: json.bool("changed"), isNewChannel: json["newChannel"]?.bool("newChannel") ?? false,
            releases: json.array("releases").map { try Release(json: $0.object("release")) },
            others: json["others"]?.object("others").releases() ?? [:], effect: json["effect"]?.string("effect") ?? "",
            approvals: json["approvals"]?.integer("approvals") ?? 0, planNotes: json.planNotes())
    }
}

extension JSONObject {
    /// Of an outcome; none from a registry that does not say.
    func planNotes() throws -> [String] {
        try (self["planNotes"]?.array("planNotes") ?? []).map { try $0.string("note") }
    }
}

extension OfferConsent {
    private static let names: [String: OfferConsent] = ["again": .again, "older": .older, "despiteState": .state]

    /// As fields of a document.
    static var fields: Set<String> { Set(names.keys) }

    fileprivate var given: [String] { Self.names.filter { contains($0.value) }.keys.sorted() }

    fileprivate static func named(_ name: String) -> OfferConsent { names[name] ?? [] }
}

extension JSONObject {
    /// Everyone is said too: a registry must not guess.
    mutating func set(_ rollout: Rollout) {
        set(rollout.share)
        if !rollout.audiences.isEmpty { self["audiences"] = .array(rollout.audiences.map(\.json)) }
    }

    mutating func set(_ consent: OfferConsent) {
        for name in consent.given { self[name] = true }
    }

    func consent() throws -> OfferConsent {
        try OfferConsent.fields.reduce(into: OfferConsent()) { consent, name in
            if try self[name]?.bool(name) ?? false { consent.insert(.named(name)) }
        }
    }

    fileprivate func oneShare() throws -> Share? {
        guard self["share"] == nil || self["percent"] == nil else {
            throw JSONError.unexpected(field: "share", wanted: "percent or share, not both", found: "both")
        }
        return try share()
    }

    /// nil where it says neither a share nor an audience.
    func rollout() throws -> Rollout? {
        let (share, audiences) = try (oneShare(), self.audiences())
        guard share != nil || audiences != nil else { return nil }
        return Rollout(share: share ?? .whole, audiences: audiences ?? [])
    }
}
