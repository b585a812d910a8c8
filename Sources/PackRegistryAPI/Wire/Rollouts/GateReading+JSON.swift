import PackFormat
package import PackJSON

extension GateReading {
    /// `gate` of a rollout in `GET /v1/packages/PACKAGE/rollouts`. Differences are in 1/10,000.
    package var json: JSONObject {
        var json: JSONObject = [
            "verdict": .string(verdict.rawValue), "text": .string(text), "release": .object(release.json),
            "leastDifference": .integer(leastDifference), "mostDifference": .integer(mostDifference),
            "suspicious": .bool(isSuspicious),
        ]
        json["before"] = before.map { .object($0.json) }
        json["versionBefore"] = versionBefore.map { .string($0.description) }
        return json
    }

    package init(json: JSONObject) throws {
        let name = try json.string("verdict")
        guard let verdict = Verdict(rawValue: name) else {
            throw JSONError.unexpected(field: "verdict", wanted: "a verdict of a gate", found: "\"\(name)\"")
        }
        try self.init(
            verdict: verdict, text: json.string("text"), release: Sample(json: json.object("release")),
            before: json["before"].map { try Sample(json: $0.object("before")) },
            versionBefore: json["versionBefore"].map { try SemanticVersion($0.string("versionBefore")) },
            leastDifference: json.integer("leastDifference"), mostDifference: json.integer("mostDifference"),
            isSuspicious: json.bool("suspicious"))
    }
}

extension GateReading.Sample {
    fileprivate var json: JSONObject {
        [
            "active": .integer(active), "confirmed": .integer(confirmed), "failed": .integer(failed),
            "silent": .integer(silent), "waiting": .integer(waiting),
        ]
    }

    fileprivate init(json: JSONObject) throws {
        self.init()
        active = try json.integer("active")
        confirmed = try json.integer("confirmed")
        failed = try json.integer("failed")
        silent = try json.integer("silent")
        waiting = try json.integer("waiting")
    }
}
