import PackFormat
import PackRegistryAPI

extension StateGuard {
    /// - Throws: ``RegistryError`` of the kind `.conflict` if a change would lead devices to a version that may not read what they
    ///   stored, and there is no consent.
    static func require(
        _ consent: OfferConsent, _ steps: [PackageID: [ReleaseHistory.Step]], on channel: ChannelName,
        _ facts: RegistryFacts
    ) throws(RegistryError) {
        guard !consent.contains(.state) else { return }
        for (package, steps) in steps.sorted(by: { $0.key < $1.key }) where !steps.isEmpty {
            let before = facts.history(of: package, on: channel)
            try StateGuard(package: package, channel: channel).check(before, steps) {
                facts.state(of: package, $0)
            }
        }
    }
}

extension RegistryFacts {
    /// What a version says of its data, from whatever was read of it.
    fileprivate func state(of package: PackageID, _ offer: Release.Offer) -> Manifest.State? {
        guard case .version(let version, _) = offer else { return nil }
        if let published = versions[VersionName(package, version)] { return published.state }
        let histories = companions.values.compactMap { $0[package] } + self.histories.values
        return histories.lazy.flatMap(\.entries).first { $0.release.offer == offer }?.state
    }
}
