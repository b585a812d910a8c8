package import PackRegistryAPI

/// What an operator's monitor asks of a registry: what waits to be made, where rollouts are, and until when signatures count.
package struct RegistryOperations: Sendable {
    /// Packages for which downloads or patches may still have to be made.
    package var waitingPackages = 0
    /// Packages whose compressed forms for browsers may still have to be made.
    package var waitingSites = 0
    /// Files that are being made in this process.
    package var filesInWork = 0
    /// Requests that wait for a patch.
    package var waitingRequests = 0
    /// Rollouts by a plan that have something left to do.
    package var rollouts: [RolloutStatus] = []
    /// By the name of the role: root, targets, channels, snapshot, timestamp, and one for each package.
    package var signatures: [String: HealthDetails.Signature] = [:]

    package init() {}
}
