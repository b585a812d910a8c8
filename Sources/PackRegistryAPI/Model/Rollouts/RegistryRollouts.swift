package import PackFormat

/// Rollouts by a plan.
package protocol RegistryRollouts: Sendable {
    /// Does, or says what it would do, what somebody asks of a rollout.
    func rollout(
        _ request: RolloutRequest, of package: PackageID, on channel: ChannelName
    ) async throws -> RolloutOutcome

    /// The package's rollouts that have a plan: of each channel the newest.
    func rollouts(of package: PackageID) async throws -> [RolloutStatus]

    /// Takes the steps that are due, on behalf of `system:rollout`, of the packages and channels that the caller may release.
    func runRollouts() async throws -> RolloutRun
}
