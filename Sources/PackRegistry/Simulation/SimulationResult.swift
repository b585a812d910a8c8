/// What became of the devices of a simulation; of parts of them it adds up.
package struct SimulationResult: Sendable {
    package internal(set) var deviceCount = 0
    /// Devices that are in at the end of the plan and did not have the version before.
    package internal(set) var admittedCount = 0
    /// Those that got it by the horizon.
    package internal(set) var updatedCount = 0
    /// New devices of each column of the curve.
    package internal(set) var columns: [Int]
    /// New devices while each share held.
    package internal(set) var updatesOfMoment: [Int]
    package internal(set) var platforms: [String: (devices: Int, updated: Int)] = [:]
    /// Why devices do not get it.
    package internal(set) var reasons: [String: Int] = [:]
    /// Versions of packages that were fetched: a set counts each of its packages.
    package internal(set) var downloadCount = 0
    package internal(set) var bytes = 0
    /// Downloads by devices that had nothing of the package.
    package internal(set) var firstCount = 0
    /// Downloads by devices that had a version from which no patch exists.
    package internal(set) var withoutPatchCount = 0
    package internal(set) var bytesWithoutPatch = 0
    package internal(set) var decisionCount = 0

    package init(columnCount: Int, momentCount: Int) {
        columns = Array(repeating: 0, count: columnCount)
        updatesOfMoment = Array(repeating: 0, count: momentCount)
    }

    package mutating func add(_ other: SimulationResult) {
        deviceCount += other.deviceCount
        admittedCount += other.admittedCount
        updatedCount += other.updatedCount
        for index in columns.indices { columns[index] += other.columns[index] }
        for index in updatesOfMoment.indices { updatesOfMoment[index] += other.updatesOfMoment[index] }
        for (name, counts) in other.platforms {
            platforms[name, default: (0, 0)].devices += counts.devices
            platforms[name]?.updated += counts.updated
        }
        reasons.merge(other.reasons) { $0 + $1 }
        downloadCount += other.downloadCount
        bytes += other.bytes
        firstCount += other.firstCount
        withoutPatchCount += other.withoutPatchCount
        bytesWithoutPatch += other.bytesWithoutPatch
        decisionCount += other.decisionCount
    }
}
