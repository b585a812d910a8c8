extension RolloutDecision {
    /// How the device takes the release that admits it: the release's own policy, or a mandatory one where the device skips a
    /// mandatory release that admits it as well.
    public struct Terms: Hashable, Sendable {
        public let policy: ClientPolicy
        /// The version of the mandatory release that the device skips; nil: the policy is the release's own.
        public let skipped: SemanticVersion?
    }

    /// - Parameter running: the version that the device runs. nil: none, and then it skips nothing.
    public static func terms(
        of release: Release, in channel: ChannelFile.Package, app: String, package: PackageID, device: DeviceFacts,
        running: SemanticVersion?
    ) -> Terms {
        let own = Terms(policy: release.policy, skipped: nil)
        guard !release.policy.isMandatory, let running else { return own }
        let older = channel.releases.drop { $0.id != release.id }.dropFirst() + channel.skippedMandatory
        let skipped = older.first { older in
            guard older.policy.isMandatory, let version = older.version, running < version else { return false }
            return RolloutDecision(app: app, package: package, releases: [older], device: device).release != nil
        }
        guard let version = skipped?.version else { return own }
        return Terms(policy: release.policy.mandatory, skipped: version)
    }
}
