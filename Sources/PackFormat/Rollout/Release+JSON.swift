package import PackJSON

extension Release {
    /// Every field that a release may have in format 2.
    private static let fields: Set<String> = [
        "id", "version", "manifest", "embedded", "percent", "share", "audiences", "policy", "app", "retry", "set",
    ]

    /// - Parameter format: The format of the channel file. In format 1 unknown fields are ignored; files that are
    ///   made today have none. In format 2 an unknown field keeps every device from the release.
    package init(json: JSONObject, format: Int = ChannelFile.currentFormat) throws {
        let offer: Offer
        if try json["embedded"]?.bool("embedded") ?? false {
            offer = .embedded
        } else {
            offer = try .version(
                SemanticVersion(json.string("version")), manifest: Digest(hex: json.string("manifest")))
        }
        /// A list without an audience would admit nobody: it is not made, and is refused.
        func audiences() throws -> [Audience] {
            guard let value = json["audiences"] else { return [] }
            let audiences = try [Audience](json: value)
            guard !audiences.isEmpty else {
                throw FormatError.invalidDocument("a release", reason: "its list of audiences is empty")
            }
            return audiences
        }
        var unknown: [String] = []
        var rollout = Rollout.everyone
        var policy = ClientPolicy.standard
        if format >= 2 {
            unknown = json.members.map(\.key).filter { !Self.fields.contains($0) }.sorted()
            // Both would be two answers to one question.
            if json["percent"] != nil, json["share"] != nil { unknown.append("share") }
            rollout = Rollout(share: try json.share() ?? .whole, audiences: try audiences())
            if let value = json["policy"] {
                if let known = ClientPolicy(json: value) { policy = known } else { unknown.append("policy") }
            }
        } else {
            // Never made so; ignored, they would give the release to everybody.
            unknown = ["audiences", "policy", "set", "share"].filter { json[$0] != nil }
            if let percent = json["percent"] { rollout = try Rollout(percent: percent.integer("percent")) }
        }
        try self.init(
            id: json.string("id"), offer: offer, rollout: rollout, policy: policy,
            requiredApp: json["app"].map { try VersionRange($0.string("app")) },
            retry: json["retry"]?.integer("retry") ?? 0, set: format >= 2 ? json["set"]?.string("set") : nil,
            unknownFields: unknown)
    }

    package var json: JSONObject {
        var json: JSONObject = ["id": .string(id)]
        switch offer {
        case .embedded: json["embedded"] = true
        case .version(let version, let manifest):
            json["version"] = .string(version.description)
            json["manifest"] = .string(manifest.hex)
        }
        for member in rollout.json.members { json[member.key] = member.value }
        if policy != .standard { json["policy"] = .object(policy.json) }
        json["app"] = requiredApp.map { .string($0.description) }
        if retry != 0 { json["retry"] = .integer(retry) }
        json["set"] = set.map { .string($0) }
        return json
    }

    var isOfFormat1: Bool {
        rollout.audiences.isEmpty && rollout.share.isWholePercent && policy == .standard && unknownFields.isEmpty
            && set == nil
    }

    /// nil if it is for some devices only, or if devices may have to wait for it. The rest of the policy is left out. A
    /// device that reads format 1 computes its bucket from the release and not from the set, so at a partial share it
    /// could get one package of a set without the others. It gets a set once everybody does, package by package.
    var inFormat1: Release? {
        guard rollout.audiences.isEmpty, !policy.delays, unknownFields.isEmpty, set == nil || rollout.share == .whole,
            let rollout = try? Rollout(percent: rollout.share.percent)
        else { return nil }
        return try? Release(id: id, offer: offer, rollout: rollout, requiredApp: requiredApp, retry: retry)
    }
}

extension Rollout {
    /// The fields `percent` or `share`, and `audiences`; none if the rollout is for everyone.
    package var json: JSONObject {
        var json: JSONObject = [:]
        if share != .whole { json.set(share) }
        if !audiences.isEmpty { json["audiences"] = .array(audiences.map(\.json)) }
        return json
    }
}

extension Audience {
    package var json: JSONValue { .array(conditions.map { .object($0.json) }) }
}

extension [Audience] {
    /// - Throws: ``FormatError/invalidDocument(_:reason:)`` for an audience without a condition, which would admit
    ///   every device.
    package init(json: JSONValue) throws {
        self = try json.array("audiences").map { audience in
            let conditions = try audience.array("audiences").map { Condition(json: try $0.object("audiences")) }
            guard !conditions.isEmpty else {
                throw FormatError.invalidDocument("a release", reason: "an audience of it has no condition")
            }
            return Audience(conditions: conditions)
        }
    }
}
