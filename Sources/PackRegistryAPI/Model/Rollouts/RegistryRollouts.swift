package import PackFormat

/// Rollouts by a plan.
package protocol RegistryRollouts: Sendable {
    /// Does, or says what it would do, what somebody asks of a rollout.
    func rollout(
        _ request: RolloutRequest, of package: PackageID, on channel: ChannelName
    ) async throws -> RolloutOutcome

    /// The rollouts that have a plan, by package and channel: of each the newest.
    /// - Parameter package: nil for all packages that the caller may release or observe.
    func rollouts(of package: PackageID?) async throws -> [RolloutStatus]

    /// Takes the steps that are due, on behalf of `system:rollout`, of the packages and channels that the caller may release.
    func runRollouts() async throws -> RolloutRun
}
