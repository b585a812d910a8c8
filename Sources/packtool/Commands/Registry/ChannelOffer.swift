import PackFormat
import PackJSON
import PackRegistry
import PackRegistryAPI

/// Offers published versions on a channel. It takes no device back without consent.
struct ChannelOffer {
    struct Made {
        let package: PackageID
        let version: SemanticVersion
        let channel: ChannelName
        let outcome: ChannelOutcome
        /// Somebody else offered a higher version between the question and the offer.
        var isSuperseded = false

        var text: String {
            if isSuperseded {
                return
                    "superseded \(package) \(version) on \(channel), which offers \(ReleaseText.text(outcome.releases)) now"
            }
            let rollout = outcome.releases.first?.rollout ?? Rollout(share: .none)
            return "\(outcome.isChanged ? "offered  " : "unchanged")  \(package) \(version) on \(channel) to "
                + rollout.devicesText
        }

        var json: JSONObject { ReleaseText.json(package, channel, outcome) }
    }

    let session: RegistrySession
    let channel: ChannelName
    let given: OfferOptions
    let options: GlobalOptions

    /// Asks where devices would go back to an older version.
    func consent(to manifests: [Manifest]) async throws -> OfferConsent {
        let releases = try await releases()
        let older = manifests.compactMap { manifest -> String? in
            let present = releases[manifest.package] ?? []
            guard let back = OlderOffer(of: manifest.version, requiredApp: manifest.requiredApp, among: present) else {
                return nil
            }
            return
                "\(channel) offers \(manifest.package) \(ReleaseText.text(present)). \(manifest.version) is older than "
                + "\(back.newer): offering it takes devices back."
        }
        if !older.isEmpty { try given.consent.require(older.joined(separator: "\n"), options) }
        return given.consent(isOlder: !older.isEmpty)
    }

    func make(_ manifest: Manifest, _ consent: OfferConsent) async throws -> Made {
        let change = ChannelChange.offer(manifest.version, given.wanted, consent: consent)
        do {
            let outcome = try await session.registry.change(change, of: manifest.package, on: channel)
            return Made(package: manifest.package, version: manifest.version, channel: channel, outcome: outcome)
        } catch let error as RegistryError where error.kind == .conflict {
            // Of two that publish at once the higher version stays, whoever comes last.
            let present = try await releases()[manifest.package] ?? []
            guard !consent.contains(.older),
                OlderOffer(of: manifest.version, requiredApp: manifest.requiredApp, among: present) != nil
            else { throw error }
            return Made(
                package: manifest.package, version: manifest.version, channel: channel,
                outcome: ChannelOutcome(isChanged: false, releases: present), isSuperseded: true)
        }
    }

    /// What is not as its caller may think.
    func note(_ made: [Made]) {
        // A misspelt name makes one.
        if made.contains(where: \.outcome.isNewChannel) { options.console.note("the channel \(channel) is new") }
        for entry in made where !entry.isSuperseded {
            let share = entry.outcome.releases.first?.rollout.share ?? .none
            guard let rollout = given.rollout, rollout < share else { continue }
            options.console.note(
                "\(channel) offers \(entry.package) \(entry.version) to \(share) already and keeps that: packtool "
                    + "rollout lowers a share")
        }
    }

    private func releases() async throws -> [PackageID: [Release]] {
        try await session.registry.overview().channels[channel] ?? [:]
    }
}
