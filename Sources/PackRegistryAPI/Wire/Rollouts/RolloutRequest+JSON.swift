import PackFormat
package import PackJSON

extension RolloutRequest {
    private static let consents: [String: OfferConsent] = ["again": .again, "older": .older]

    /// The body of `POST /v1/channels/CHANNEL/packages/PACKAGE/rollout`.
    package var json: JSONObject {
        var json: JSONObject = ["verb": .string(verb.name)]
        switch verb {
        case .plan(let plan, let audiences, let consent):
            json["plan"] = .object(plan.json)
            if let audiences { json["audiences"] = .array(audiences.map(\.json)) }
            for (name, option) in Self.consents where consent.contains(option) { json[name] = true }
        case .advance(let step): json["step"] = step.map { .integer($0) }
        case .retry(let generation): json["generation"] = generation.map { .integer($0) }
        case .start, .pause, .resume, .halt, .complete, .rollBack: break
        }
        json["version"] = version.map { .string($0.description) }
        if !reason.isEmpty { json["reason"] = .string(reason) }
        if isDespiteState { json["despiteState"] = true }
        if isDryRun { json["dryRun"] = true }
        return json
    }

    package init(json: JSONObject) throws {
        let name = try json.string("verb")
        func only(_ fields: [String] = []) throws(JSONError) {
            try json.refuseKeys(outside: Set(fields + ["verb", "version", "reason", "dryRun", "despiteState"]))
        }
        let verb: Verb
        switch name {
        case "plan":
            try only(["plan", "audiences"] + Self.consents.keys)
            let consent = try Self.consents.reduce(into: OfferConsent()) { consent, entry in
                if try json[entry.key]?.bool(entry.key) ?? false { consent.insert(entry.value) }
            }
            verb = try .plan(
                RolloutPlan(json: json.required("plan")), audiences: json.audiences(), consent: consent)
        case "advance":
            try only(["step"])
            verb = try .advance(to: json["step"]?.integer("step"))
        case "retry":
            try only(["generation"])
            verb = try .retry(generation: json["generation"]?.integer("generation"))
        default:
            guard let simple = Verb.simple.first(where: { $0.name == name }) else {
                throw JSONError.unexpected(
                    field: "verb", wanted: "one of \(Verb.names.joined(separator: ", "))", found: "\"\(name)\"")
            }
            try only()
            verb = simple
        }
        try self.init(
            verb, of: json["version"].map { try SemanticVersion($0.string("version")) },
            reason: json["reason"]?.string("reason") ?? "", isDryRun: json["dryRun"]?.bool("dryRun") ?? false,
            isDespiteState: json["despiteState"]?.bool("despiteState") ?? false)
    }
}

extension RolloutRequest.Verb {
    fileprivate static let simple: [Self] = [.start, .pause, .resume, .halt, .complete, .rollBack]
    fileprivate static let names = ["plan", "advance", "retry"] + simple.map(\.name)

    /// The word on the wire, on the command line and in the audit log.
    package var name: String {
        switch self {
        case .plan: "plan"
        case .start: "start"
        case .pause: "pause"
        case .resume: "resume"
        case .advance: "advance"
        case .halt: "halt"
        case .complete: "complete"
        case .rollBack: "rollback"
        case .retry: "retry"
        }
    }
}
