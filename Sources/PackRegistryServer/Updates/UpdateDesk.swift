import PackFormat

/// Decides which version a device should have, for clients without our updater. The decision is the device's own
/// (``RolloutDecision``). Nothing of a query is kept or logged.
struct UpdateDesk: Sendable {
    let state: ReleaseCache

    /// - Returns: nil if the channel offers no version of the package.
    func answer(_ query: UpdateQuery) async throws -> UpdateAnswer? {
        let id = query.device.deviceID
        let device = query.device.with(groups: id.isEmpty ? [] : try await state.groups(of: id, on: query.channel))
        guard let offers = try await state.offers(on: query.channel), let offer = offers.file.packages[query.package],
            !offer.releases.isEmpty
        else { return nil }
        return UpdateAnswer(
            query: query, device: device, app: offers.file.app, offer: offer,
            decision: id.isEmpty
                ? decision(for: device, of: query.package, offers, offer) : offers.decision(for: device, query.package))
    }

    /// What a device without an id gets. It would be in the same place of every rollout, so shares are not for it.
    private func decision(
        for device: DeviceFacts, of package: PackageID, _ offers: ChannelOffers, _ offer: ChannelFile.Package
    ) -> RolloutDecision {
        RolloutDecision(
            app: offers.file.app, package: package, releases: offer.releases.filter { $0.rollout.share == .whole },
            device: device, refusedSets: offers.sets.refusals(app: offers.file.app, of: package, device))
    }
}
