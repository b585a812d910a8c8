import PackFormat

/// Finds what a channel offers to all devices, whatever they are.
struct ChcpOffers: Sendable {
    let tools: AdapterTools

    /// - Throws: ``Problem`` if there is nothing: the clients then keep what they have.
    func offer(of package: PackageID, on channel: ChannelName) async throws -> ChcpOffer {
        guard let answer = try await answer(package, channel, app: nil) else {
            throw Problem.notFound("the channel \(channel) offers no version of \(package)")
        }
        guard answer.offer.isEnabled else {
            throw Problem.notFound("the channel \(channel) has \(package) switched off")
        }
        // The app's version is the one fact that the protocol has a word for.
        if let needed = answer.neededApp.flatMap(Self.nativeInterface),
            let other = try await self.answer(package, channel, app: AppVersion("\(needed)")),
            let offer = try await offer(other)
        {
            return offer
        }
        guard let offer = try await offer(answer) else {
            throw Problem.notFound("the channel \(channel) offers no version of \(package) to all devices")
        }
        return offer
    }

    private func answer(
        _ package: PackageID, _ channel: ChannelName, app: AppVersion?
    ) async throws -> UpdateAnswer? {
        try await tools.desk.answer(
            UpdateQuery(
                channel: channel, package: package, device: DeviceFacts(deviceID: "", appVersion: app), current: nil))
    }

    /// - Returns: nil for the pages that the app brought, and for what not all devices may have.
    private func offer(_ answer: UpdateAnswer) async throws -> ChcpOffer? {
        guard let release = answer.decision.release, release.rollout.reachesEveryone, let version = release.version,
            let manifest = try await tools.manifest(of: answer.query.package, version), ChcpFiles.canList(manifest)
        else { return nil }
        guard let range = release.requiredApp else {
            return ChcpOffer(manifest: manifest, release: release, nativeInterface: 0)
        }
        return Self.nativeInterface(range).map {
            ChcpOffer(manifest: manifest, release: release, nativeInterface: $0)
        }
    }

    /// The number that stands for a range of app versions: 3 for `>=3.0.0`. nil: the range says more than a number can.
    static func nativeInterface(_ range: VersionRange) -> Int? {
        let text = range.description
        guard text.hasPrefix(">="), let version = try? SemanticVersion(String(text.dropFirst(2))),
            version.minor == 0, version.patch == 0, version.prerelease.isEmpty,
            // Clients on Android read it in 32 bits.
            let number = Int32(exactly: version.major)
        else { return nil }
        return Int(number)
    }
}
