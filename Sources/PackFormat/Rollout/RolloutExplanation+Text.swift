package import PackJSON

extension RolloutExplanation {
    public var text: String {
        var lines = ["\(package) on \(channel): \(summary)"]
        lines += notes.map { "  \($0)" }
        for entry in entries {
            let offer = entry.release.version?.description ?? "the way back to what the app embeds"
            lines.append("  release \(entry.release.id), \(offer): \(Self.words[entry.outcome] ?? ""), \(entry.reason)")
            guard entry.outcome != .notNeeded else { continue }
            let several = entry.release.rollout.audiences.count > 1
            let conditions = entry.checks.map(\.condition) + entry.terms.map(\.condition)
            let width = conditions.map(\.count).max() ?? 0
            for check in entry.checks {
                let audience = several ? check.audience.map { "audience \($0)  " } ?? "            " : ""
                let padding = String(repeating: " ", count: width - check.condition.count)
                lines.append(
                    "    \(check.isMet ? "pass" : "FAIL")  \(audience)\(check.condition)\(padding)  \(check.seen)")
            }
            for term in entry.terms {
                let padding = String(repeating: " ", count: width - term.condition.count)
                let indent = several ? "            " : ""
                lines.append(
                    "    \(Self.effects[term.effect] ?? "")  \(indent)\(term.condition)\(padding)  \(term.seen)")
            }
            if let plan = entry.plan { lines.append("    plan  \(plan.text)") }
        }
        return lines.joined(separator: "\n")
    }

    private static let words: [Outcome: String] = [
        .selected: "selected", .skipped: "skipped", .notNeeded: "not needed",
    ]

    private static let effects: [Term.Effect: String] = [.met: "pass", .waits: "WAIT", .told: "tell"]

    private var summary: String {
        guard let release else { return "no release is for this device" }
        return release.version.map { "the device takes \($0)\(wait ?? "")" }
            ?? "the device goes back to what the app embeds"
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "channel": .string(channel.text), "summary": .string(summary),
            "notes": .array(notes.map { .string($0) }),
            "releases": .array(entries.map { .object($0.json) }),
        ]
        json["release"] = release.map { .string($0.id) }
        json["version"] = release?.version.map { .string($0.description) }
        return json
    }
}

extension RolloutExplanation.Entry {
    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "release": .object(release.json), "outcome": .string(outcome.rawValue), "reason": .string(reason),
            "checks": .array(
                checks.map { check in
                    var json: JSONObject = [
                        "condition": .string(check.condition), "met": .bool(check.isMet), "seen": .string(check.seen),
                    ]
                    json["audience"] = check.audience.map { .integer($0) }
                    return .object(json)
                }),
        ]
        if !terms.isEmpty {
            json["policy"] = .array(
                terms.map { term in
                    .object([
                        "condition": .string(term.condition), "effect": .string(term.effect.rawValue),
                        "seen": .string(term.seen),
                    ])
                })
        }
        json["plan"] = plan.map { .object($0.json) }
        return json
    }
}
