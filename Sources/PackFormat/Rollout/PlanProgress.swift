package import PackJSON

/// Where the plan of a release is, as far as everybody may know it: not who did what to it, and why.
public struct PlanProgress: Hashable, Sendable {
    /// Such as `running` or `paused`.
    public let state: String
    /// The number of the step whose share is there or on its way, from 1; 0 before the first.
    public let step: Int
    public let stepCount: Int
    /// Where the share is among the steps, such as `between step 1 (10 %) and step 2 (50 %) of 3`; nil from a registry that
    /// does not say.
    public let place: String?
    /// The share that comes next; nil if none does.
    public let nextShare: Share?
    /// When it comes (RFC 3339); nil: when somebody says so.
    public let nextTime: String?

    public init(
        state: String, step: Int, stepCount: Int, place: String? = nil, nextShare: Share?, nextTime: String?
    ) {
        self.place = place
        self.state = state
        self.step = step
        self.stepCount = stepCount
        self.nextShare = nextShare
        self.nextTime = nextTime
    }

    /// Such as `step 2 of 4, running; next 50 % at 2026-11-26T09:00:00Z`.
    public var text: String {
        let place = place ?? (step == 0 ? "before step 1 of \(stepCount)" : "step \(step) of \(stepCount)")
        guard let nextShare else { return "\(place), \(state)" }
        return "\(place), \(state); next \(nextShare) \(nextTime.map { "at \($0)" } ?? "when somebody says so")"
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "state": .string(state), "step": .integer(step), "steps": .integer(stepCount),
        ]
        json["place"] = place.map { .string($0) }
        if let nextShare {
            var next: JSONObject = [:]
            next.set(nextShare)
            next["at"] = nextTime.map { .string($0) }
            json["next"] = .object(next)
        }
        return json
    }

    package init(json: JSONObject) throws {
        let next = try json["next"]?.object("next")
        try self.init(
            state: json.string("state"), step: json.integer("step"), stepCount: json.integer("steps"),
            place: json["place"]?.string("place"), nextShare: next?.share(), nextTime: next?["at"]?.string("at"))
    }
}
