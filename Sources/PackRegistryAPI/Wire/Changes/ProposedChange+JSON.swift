import PackFormat
package import PackJSON

extension ProposedChange {
    package var json: JSONObject {
        var json: JSONObject = [
            "id": .integer(id), "state": .string(state.rawValue), "summary": .string(proposal.action.summary),
            "proposal": .object(proposal.json), "proposedBy": .string(proposer),
            "proposed": .string(WireTime.text(proposed)), "expires": .string(WireTime.text(expires)),
            "effect": .array(effect.map { .string($0) }), "needed": .integer(needed),
            "approvals": .array(
                approvals.map { approval in
                    var json: JSONObject = [
                        "by": .string(approval.by), "time": .string(WireTime.text(approval.time)),
                    ]
                    if approval.isRevoked { json["revoked"] = true }
                    return .object(json)
                }),
        ]
        json["end"] = end.map {
            .object(["by": .string($0.by), "time": .string(WireTime.text($0.time)), "text": .string($0.text)])
        }
        json["preview"] = preview.map { .object($0.json) }
        if !notes.isEmpty { json["notes"] = .array(notes.map { .string($0) }) }
        return json
    }

    package init(json: JSONObject) throws {
        let name = try json.string("state")
        guard let state = State(rawValue: name) else {
            throw JSONError.unexpected(field: "state", wanted: "the state of a change", found: "\"\(name)\"")
        }
        try self.init(
            id: json.integer("id"), proposal: ChangeProposal(json: json.object("proposal")),
            proposer: json.string("proposedBy"), proposed: json.date("proposed"), expires: json.date("expires"),
            state: state, effect: json.array("effect").map { try $0.string("effect") },
            needed: json.integer("needed"),
            approvals: json.array("approvals").map { value in
                let json = try value.object("approval")
                return try Approval(
                    by: json.string("by"), time: json.date("time"), isRevoked: json["revoked"]?.bool("revoked") ?? false
                )
            },
            end: json["end"].map { value in
                let json = try value.object("end")
                return try End(by: json.string("by"), time: json.date("time"), text: json.string("text"))
            }, preview: json["preview"].map { try RolloutOutcome(json: $0.object("preview")) },
            notes: (json["notes"]?.array("notes") ?? []).map { try $0.string("note") })
    }
}

extension ChangeOutcome {
    package var json: JSONObject { ["changed": .bool(isChanged), "change": .object(change.json)] }

    package init(json: JSONObject) throws {
        try self.init(isChanged: json.bool("changed"), change: ProposedChange(json: json.object("change")))
    }
}

extension ProposedChanges {
    /// The answer of `GET /v1/changes`.
    package var json: JSONObject {
        [
            "changes": .array(changes.map { .object($0.json) }),
            "required": .object(JSONObject(required.map { ($0.key.text, .integer($0.value)) })),
        ]
    }

    package init(json: JSONObject) throws {
        var required: [ChannelName: Int] = [:]
        for member in try json.object("required").members {
            required[try ChannelName(member.key)] = try member.value.integer(member.key)
        }
        try self.init(
            changes: json.array("changes").map { try ProposedChange(json: $0.object("change")) }, required: required)
    }
}
