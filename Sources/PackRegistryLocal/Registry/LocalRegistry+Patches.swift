import Foundation
package import PackFormat
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL
import PackSystem

extension LocalRegistry {
    /// The bytes, old and new together, up to which a patch is made because a device asks for it: about half a minute.
    private static let maximumDemandedByteCount = 64 << 20
    /// How long a request waits for its patch. After it the device is told that there is none and takes the full download;
    /// the next device finds the patch.
    private static let patience: Duration = .seconds(15)

    /// Makes a patch if a device may request it: from any version to an offered one.
    ///
    /// Other requests for the patch wait for the same work. One patch is made at a time, and only a few requests
    /// wait.
    /// - Returns: whether the file is there now.
    /// - Throws: ``RegistryError`` of the kind `.busy` if too many wait. A device should come back, because the patch
    ///   saves it more than the wait costs.
    package func makePatch(at path: ViewPath) async throws -> Bool {
        guard let file = DerivedFile(patch: path) else { return false }
        let place = files.view(path)
        let busy = RegistryError(.busy, "the registry makes as many patches as it can; try again shortly")
        guard claims.beginWaiting() else { throw busy }
        defer { claims.endWaiting() }
        // An update file has the patch in it: where that is being made, it is not made twice.
        let patch = DerivedFile(.patch, of: file.target, from: file.base)
        // A device asks for the three files of a step in turn: where it waited in vain for one, it does not wait for each.
        let patience = claims.wasVain(patch) ? .zero : Self.patience
        let end = ContinuousClock.now + patience
        if file.kind == .update { await claims.waitForRelease(of: patch, patience: patience) }
        if !claims.isClaimed(file) {
            let isAllowed = try? await BlockingWork.run { [self] in
                guard try database.read({ try DerivedTable(db: $0).isOnDemand(file) }) else { return false }
                return try artifacts.effort(for: file) <= Self.maximumDemandedByteCount
            }
            guard isAllowed == true else { return SystemCall.size(of: place) != nil }
            switch claims.claimOnDemand(file) {
            case .full: throw busy
            case .taken: break
            case .claimed:
                claims.queue.async { [self] in
                    let isPatchOurs = file.kind == .update && claims.claim(patch)
                    defer {
                        if isPatchOurs { claims.release(patch) }
                        claims.releaseOnDemand(file)
                    }
                    // Why it failed is found out again, and said, by the maintenance or by the next who asks.
                    try? artifacts.makeOnDemand(file)
                }
            }
        }
        await claims.waitForRelease(of: file, patience: end - .now)
        guard SystemCall.size(of: place) == nil else { return true }
        if ContinuousClock.now >= end { claims.noteVain(patch) }
        return false
    }

    /// Whether a server has the registry. It then makes patches itself.
    package func isServed() async -> Bool {
        do { return try await leases.holder(of: .server) != nil } catch { return true }
    }
}
