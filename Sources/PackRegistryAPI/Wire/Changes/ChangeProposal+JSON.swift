import PackFormat
package import PackJSON

extension ProposedAction {
    package var json: JSONObject {
        switch self {
        case .release(let change, let package):
            ["kind": "release", "package": .string(package.text), "change": .object(change.json)]
        case .set(let set): ["kind": "set", "set": .object(set.json)]
        case .setting(let setting): ["kind": "setting", "setting": .object(setting.json)]
        case .rollout(let request, let package):
            ["kind": "rollout", "package": .string(package.text), "rollout": .object(request.json)]
        case .approvals(let count): ["kind": "approvals", "approvals": .integer(count)]
        }
    }

    package init(json: JSONObject) throws {
        let kind = try json.string("kind")
        func only(_ fields: String...) throws(JSONError) { try json.refuseKeys(outside: Set(fields + ["kind"])) }
        switch kind {
        case "release":
            try only("package", "change")
            self = try .release(ChannelChange(json: json.object("change")), of: PackageID(json.string("package")))
        case "set":
            try only("set")
            self = try .set(ReleaseSet(json: json.object("set")))
        case "setting":
            try only("setting")
            self = try .setting(ChannelSetting(json: json.object("setting")))
        case "rollout":
            try only("package", "rollout")
            self = try .rollout(RolloutRequest(json: json.object("rollout")), of: PackageID(json.string("package")))
        case "approvals":
            try only("approvals")
            let count = try json.integer("approvals")
            guard (0...Self.maximumApprovals).contains(count) else {
                throw JSONError.unexpected(
                    field: "approvals", wanted: "0 to \(Self.maximumApprovals)", found: "\(count)")
            }
            self = .approvals(count)
        default:
            throw JSONError.unexpected(
                field: "kind", wanted: "release, set, setting, rollout or approvals", found: "\"\(kind)\"")
        }
    }
}

extension ChangeProposal {
    /// The body of `POST /v1/changes`.
    package var json: JSONObject {
        var json: JSONObject = ["channel": .string(channel.text), "action": .object(action.json)]
        if !reason.isEmpty { json["reason"] = .string(reason) }
        json["at"] = time.map { .string(WireTime.text($0)) }
        json["expires"] = expires.map { .string(WireTime.text($0)) }
        if isEmergency { json["emergency"] = true }
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["channel", "action", "reason", "at", "expires", "emergency"])
        try self.init(
            ProposedAction(json: json.object("action")), on: ChannelName(json.string("channel")),
            reason: json["reason"]?.string("reason") ?? "", at: json.optionalDate("at"),
            expires: json.optionalDate("expires"), isEmergency: json["emergency"]?.bool("emergency") ?? false)
    }
}

extension ChangeVote {
    /// The body of `POST /v1/changes/ID/vote`.
    package var json: JSONObject {
        switch self {
        case .approve: ["vote": "approve"]
        case .reject(let reason): ["vote": "reject", "reason": .string(reason)]
        }
    }

    package init(json: JSONObject) throws {
        switch try json.string("vote") {
        case "approve":
            try json.refuseKeys(outside: ["vote"])
            self = .approve
        case "reject":
            try json.refuseKeys(outside: ["vote", "reason"])
            self = try .reject(reason: json["reason"]?.string("reason") ?? "")
        case let other:
            throw JSONError.unexpected(field: "vote", wanted: "approve or reject", found: "\"\(other)\"")
        }
    }
}
