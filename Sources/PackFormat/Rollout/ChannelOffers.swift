/// What a channel offers, with what follows from it for every device. A server finds it out once for each version of the
/// channel file, and answers every device from it.
package struct ChannelOffers: Sendable {
    package let file: ChannelFile
    package let sets: ReleaseSets
    /// The groups that releases name, by their names.
    package let groups: [String: Digest]

    package init(_ file: ChannelFile) {
        self.file = file
        sets = ReleaseSets(of: file)
        // A set is judged by all of its packages.
        let named = file.groups(namedBy: file.packages.values)
        groups = file.groups.filter { named.contains($0.key) }.mapValues(\.digest)
    }

    /// What a device gets of a package, decided as the device itself decides it.
    package func decision(for device: DeviceFacts, _ package: PackageID) -> RolloutDecision {
        RolloutDecision(
            app: file.app, package: package, releases: file.packages[package]?.releases ?? [], device: device,
            refusedSets: sets.refusals(app: file.app, of: package, device))
    }
}
