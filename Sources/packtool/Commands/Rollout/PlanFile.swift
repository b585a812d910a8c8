import Foundation
import PackRegistryAPI

/// A rollout plan in a file.
enum PlanFile {
    /// - Parameter devices: how many devices there are, in place of the plan's number.
    /// - Throws: ``CommandFailure`` for a file that is too large or cannot be read, ``RegistryError`` with the line of a mistake.
    static func read(_ path: String, devices: Int?) throws -> RolloutPlan {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        guard size <= RolloutPlan.maximumByteCount else {
            throw CommandFailure(
                "\(path): it has \(size) bytes, and a plan has \(RolloutPlan.maximumByteCount) at most", kind: "invalid"
            )
        }
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandFailure("the plan \(path) cannot be read: is the name right?", kind: "notFound")
        }
        return try RolloutPlan(parsing: Array(bytes), named: path, devices: devices)
    }
}
