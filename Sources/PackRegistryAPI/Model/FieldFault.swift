/// What is wrong with a field of what somebody wrote, such as a rollout plan or a set, and where.
package struct FieldFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `steps[2].share`; empty for the whole.
    package let place: String
    package let reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { place.isEmpty ? reason : "\(place): \(reason)" }
}
