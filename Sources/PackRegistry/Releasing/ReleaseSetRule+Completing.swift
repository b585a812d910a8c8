import Foundation
import PackFormat

extension ReleaseSetRule {
    /// A rollback that takes a package's release of another set takes that set back too, and so on: no device keeps a part. A part
    /// that lies beneath a newer release is only taken from there; else the package goes to what everybody had before the set.
    /// - Parameter steps: of the packages that go back.
    func completing(
        _ steps: [PackageID: [ReleaseHistory.Step]]
    ) throws -> [PackageID: [ReleaseHistory.Step]] {
        var result = steps
        // Each round takes at least one more release of a set back.
        while let (set, package) = torn(by: result) {
            result[package] = try leaving(set, package, after: result[package] ?? [])
        }
        return result.filter { !$0.value.isEmpty }
    }

    /// A set of which some packages have lost their release and one has it still.
    private func torn(by steps: [PackageID: [ReleaseHistory.Step]]) -> (set: String, package: PackageID)? {
        for package in steps.keys.sorted() {
            for set in history(package).sets(removedBy: steps[package] ?? []).sorted() {
                let left = members(of: set).keys.sorted().first { other in
                    !history(other).sets(removedBy: steps[other] ?? []).contains(set)
                }
                if let left { return (set, left) }
            }
        }
        return nil
    }

    /// - Parameter steps: what the package does already.
    private func leaving(
        _ set: String, _ package: PackageID, after steps: [ReleaseHistory.Step]
    ) throws -> [ReleaseHistory.Step] {
        let own = history(package)
        guard let part = own.entry(of: set) else { return steps }
        let place = own.full(before: part.created)
        let present = own.applying(steps, by: "", now: .distantFuture)
        if let more = present.leaving(set, to: place) { return steps + more }
        // Further back than it goes already: all that comes after that place is removed.
        let gone = ReleaseHistory.Step.remove(part.release.id)
        let back = try own.applying([gone], by: "", now: .distantFuture).rollingBack(
            to: place?.offer ?? .embedded, requiredApp: place?.version == nil ? nil : place?.requiredApp,
            id: ids.release(histories.count + (histories.keys.sorted().firstIndex(of: package) ?? 0)))
        return [gone] + back
    }
}
