import PackRegistryAPI

/// A rollout plan in a file.
enum PlanFile {
    /// - Parameter devices: how many devices there are, in place of the plan's number.
    /// - Throws: ``CommandFailure`` for a file that is too large or cannot be read, ``RegistryError`` with the line of a mistake.
    static func read(_ path: String, devices: Int?) throws -> RolloutPlan {
        let bytes = try WrittenFile.bytes(path, as: "plan", maximumByteCount: RolloutPlan.maximumByteCount)
        return try RolloutPlan(parsing: bytes, named: path, devices: devices)
    }
}
