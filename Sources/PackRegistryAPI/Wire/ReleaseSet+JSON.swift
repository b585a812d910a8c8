import PackFormat
package import PackJSON

extension ReleaseSet {
    /// The body of `POST /v1/channels/CHANNEL/sets`.
    package var json: JSONObject {
        var json: JSONObject = [
            "packages": .object(JSONObject(versions.map { ($0.key.text, .string($0.value.description)) }))
        ]
        if let rollout { json.set(rollout) }
        json.set(consent)
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: OfferConsent.fields.union(["packages", "percent", "share", "audiences"]))
        let members = try json.object("packages").members
        guard (1...Self.maximumCount).contains(members.count) else {
            throw JSONError.unexpected(
                field: "packages", wanted: "1 to \(Self.maximumCount) packages with their versions",
                found: "\(members.count)")
        }
        var versions: [PackageID: SemanticVersion] = [:]
        for member in members {
            versions[try PackageID(member.key)] = try SemanticVersion(member.value.string(member.key))
        }
        try self.init(versions: versions, rollout: json.rollout(), consent: json.consent())
    }
}

extension ReleaseSetOutcome {
    package var json: JSONObject {
        var json: JSONObject = [
            "changed": .bool(isChanged),
            "packages": .object(
                JSONObject(releases.map { ($0.key.text, .array($0.value.map { .object($0.json) })) })),
        ]
        json["set"] = set.map { .string($0) }
        if isNewChannel { json["newChannel"] = true }
        if !effect.isEmpty { json["effect"] = .string(effect) }
        if approvals > 0 { json["approvals"] = .integer(approvals) }
        if !planNotes.isEmpty { json["planNotes"] = .array(planNotes.map { .string($0) }) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            isChanged: json.bool("changed"), isNewChannel: json["newChannel"]?.bool("newChannel") ?? false,
            set: json["set"]?.string("set"), releases: json.object("packages").releases(),
            effect: json["effect"]?.string("effect") ?? "", approvals: json["approvals"]?.integer("approvals") ?? 0,
            planNotes: json.planNotes())
    }
}

extension JSONObject {
    /// A list of releases for each package.
    func releases() throws -> [PackageID: [Release]] {
        var releases: [PackageID: [Release]] = [:]
        for member in members {
            releases[try PackageID(member.key)] = try member.value.array(member.key).map {
                try Release(json: $0.object("release"))
            }
        }
        return releases
    }
}
