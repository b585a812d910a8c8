/// What is wrong with a rollout plan, or with a set in a file, and where.
package struct PlanFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `steps[2].share`; empty for the whole plan.
    package let place: String
    package let reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
