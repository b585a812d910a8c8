import PackFormat

/// Decides which version a device should have, for clients without our updater. The decision is the device's own
/// (``RolloutDecision``). Nothing of a query is kept or logged.
struct UpdateDesk: Sendable {
    let state: ReleaseCache

    /// - Returns: nil if the channel offers no version of the package.
    func answer(_ query: UpdateQuery) async throws -> UpdateAnswer? {
        let device = try await grouped(query.device, on: query.channel)
        guard let offers = try await state.offers(on: query.channel) else { return nil }
        return Self.answer(query, device, offers)
    }

    /// The same question about every package that a channel offers, in the order of their ids.
    func answers(on channel: ChannelName, for device: DeviceFacts) async throws -> [UpdateAnswer] {
        let grouped = try await grouped(device, on: channel)
        guard let offers = try await state.offers(on: channel) else { return [] }
        return offers.file.packages.keys.sorted().compactMap { package in
            let query = UpdateQuery(channel: channel, package: package, device: device, current: nil)
            return Self.answer(query, grouped, offers)
        }
    }

    private func grouped(_ device: DeviceFacts, on channel: ChannelName) async throws -> DeviceFacts {
        let id = device.deviceID
        return device.with(groups: id.isEmpty ? [] : try await state.groups(of: id, on: channel))
    }

    private static func answer(_ query: UpdateQuery, _ device: DeviceFacts, _ offers: ChannelOffers) -> UpdateAnswer? {
        guard var offer = offers.file.packages[query.package], !offer.releases.isEmpty else { return nil }
        if query.runsAnyVersion { offer = offer.forEveryApp }
        return UpdateAnswer(
            query: query, device: device, app: offers.file.app, offer: offer,
            decision: device.deviceID.isEmpty || query.runsAnyVersion
                ? decision(for: device, of: query.package, offers, offer)
                : offers.decision(for: device, query.package))
    }

    /// A device without an id would be in the same place of every rollout, so shares are not for it.
    private static func decision(
        for device: DeviceFacts, of package: PackageID, _ offers: ChannelOffers, _ offer: ChannelFile.Package
    ) -> RolloutDecision {
        RolloutDecision(
            app: offers.file.app, package: package,
            releases: offer.releases.filter { !device.deviceID.isEmpty || $0.rollout.share == .whole },
            device: device, refusedSets: offers.sets.refusals(app: offers.file.app, of: package, device))
    }
}

extension ChannelFile.Package {
    /// The same without what releases require of the app.
    fileprivate var forEveryApp: Self {
        Self(
            releases: releases.map(\.forEveryApp), skippedMandatory: skippedMandatory.map(\.forEveryApp),
            isEnabled: isEnabled)
    }
}

extension Release {
    /// The same without what it requires of the app.
    var forEveryApp: Release {
        let bare = try? Release(
            id: id, offer: offer, rollout: rollout, policy: policy, retry: retry, set: set, unknownFields: unknownFields
        )
        return bare ?? self
    }
}
