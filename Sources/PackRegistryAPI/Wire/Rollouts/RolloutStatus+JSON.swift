import PackFormat
package import PackJSON

extension RolloutStatus {
    /// One entry of `GET /v1/packages/PACKAGE/rollouts`.
    package var json: JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "channel": .string(channel.text), "release": .string(release),
            "state": .string(state.rawValue), "reason": .string(reason), "actor": .string(actor),
            "since": .string(WireTime.text(since)), "step": .integer(stepNumber), "plan": .object(plan.json),
            "steps": .array(steps.map { .object($0.json(plan)) }),
        ]
        json.set(share)
        json["version"] = version.map { .string($0.description) }
        json["devices"] = plan.deviceCount(share).map { .integer($0) }
        var next: JSONObject = ["reason": .string(self.next.reason)]
        if let share = self.next.share { next.set(share) }
        next["at"] = self.next.date.map { .string(WireTime.text($0)) }
        if self.next.isGated { next["gated"] = true }
        json["next"] = .object(next)
        json["gate"] = gate.map { .object($0.json) }
        if !set.isEmpty { json["set"] = .array(set.map { .object($0.json) }) }
        return json
    }

    package init(json: JSONObject) throws {
        let next = try json.object("next")
        let state = try json.string("state")
        guard let known = State(rawValue: state) else {
            throw JSONError.unexpected(field: "state", wanted: "a state of a rollout", found: "\"\(state)\"")
        }
        try self.init(
            package: PackageID(json.string("package")), channel: ChannelName(json.string("channel")),
            release: json.string("release"), version: json["version"].map { try SemanticVersion($0.string("version")) },
            state: known, reason: json.string("reason"), actor: json.string("actor"), since: json.date("since"),
            share: json.share() ?? .whole, plan: RolloutPlan(json: json.required("plan")),
            steps: json.array("steps").map { try Step(json: $0.object("step")) },
            next: Next(
                share: next.share(), date: next.optionalDate("at"), reason: next.string("reason"),
                isGated: next["gated"]?.bool("gated") ?? false),
            gate: json["gate"].map { try GateReading(json: $0.object("gate")) },
            set: (json["set"]?.array("set") ?? []).map { try Member(json: $0.object("set")) })
    }
}

extension RolloutStatus.Member {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["package": .string(package.text)]
        json["version"] = version.map { .string($0.description) }
        return json
    }

    fileprivate init(json: JSONObject) throws {
        try self.init(
            package: PackageID(json.string("package")),
            version: json["version"].map { try SemanticVersion($0.string("version")) })
    }
}

extension RolloutStatus.Step {
    fileprivate func json(_ plan: RolloutPlan) -> JSONObject {
        var json: JSONObject = [:]
        json.set(share)
        json["for"] = time.map { .string($0.description) }
        json["devices"] = plan.deviceCount(share).map { .integer($0) }
        json["reached"] = reached.map { .string(WireTime.text($0)) }
        json["expected"] = expected.map { .string(WireTime.text($0)) }
        return json
    }

    fileprivate init(json: JSONObject) throws {
        try self.init(
            share: json.share() ?? .whole, time: json["for"].map { try PlanDuration($0.string("for")) },
            reached: json.optionalDate("reached"), expected: json.optionalDate("expected"))
    }
}

extension RolloutOutcome {
    package var json: JSONObject {
        var json: JSONObject = [
            "changed": .bool(isChanged), "effect": .string(effect),
            "before": .integer(before.tenThousandths), "after": .integer(after.tenThousandths),
            "releases": .array(releases.map { .object($0.json) }),
        ]
        json["status"] = status.map { .object($0.json) }
        if approvals > 0 { json["approvals"] = .integer(approvals) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            isChanged: json.bool("changed"), effect: json.string("effect"),
            before: Share(tenThousandths: json.integer("before")), after: Share(tenThousandths: json.integer("after")),
            releases: json.array("releases").map { try Release(json: $0.object("release")) },
            status: json["status"].map { try RolloutStatus(json: $0.object("status")) },
            approvals: json["approvals"]?.integer("approvals") ?? 0)
    }
}

extension RolloutRun {
    /// The answer of `POST /v1/rollouts/run`. Shares are in 1/10,000.
    package var json: JSONObject {
        var json: JSONObject = [
            "actions": .array(actions.map { .object($0.json) }), "failures": .array(failures.map { .string($0) }),
        ]
        if !changes.isEmpty { json["changes"] = .array(changes.map { .object($0.json) }) }
        json["next"] = next.map { .string(WireTime.text($0)) }
        json["nextOf"] = subject.map { .object($0.json) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            actions: json.array("actions").map { try Action(json: $0.object("action")) },
            changes: (json["changes"]?.array("changes") ?? []).map { try ProposedChange(json: $0.object("change")) },
            failures: json.array("failures").map { try $0.string("failure") }, next: json.optionalDate("next"),
            subject: json["nextOf"].map { try Subject(json: $0.object("nextOf")) })
    }
}

extension RolloutRun.Subject {
    fileprivate var json: JSONObject {
        switch self {
        case .plan(let package, let version, let channel, let share):
            var json: JSONObject = ["channel": .string(channel.text), "package": .string(package.text)]
            json["version"] = version.map { .string($0.description) }
            if let share { json.set(share) }
            return json
        case .change(let id, let channel): return ["channel": .string(channel.text), "change": .integer(id)]
        }
    }

    fileprivate init(json: JSONObject) throws {
        let channel = try ChannelName(json.string("channel"))
        if let id = try json["change"]?.integer("change") {
            self = .change(id, on: channel)
        } else {
            self = try .plan(
                PackageID(json.string("package")), json["version"].map { try SemanticVersion($0.string("version")) },
                on: channel, share: json.share())
        }
    }
}

extension RolloutRun.Action {
    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "channel": .string(channel.text), "action": .string(name),
            "before": .integer(before.tenThousandths), "after": .integer(after.tenThousandths),
            "reason": .string(reason),
        ]
        json["version"] = version.map { .string($0.description) }
        return json
    }

    fileprivate init(json: JSONObject) throws {
        try self.init(
            package: PackageID(json.string("package")), channel: ChannelName(json.string("channel")),
            version: json["version"].map { try SemanticVersion($0.string("version")) }, name: json.string("action"),
            before: Share(tenThousandths: json.integer("before")), after: Share(tenThousandths: json.integer("after")),
            reason: json.string("reason"))
    }
}
