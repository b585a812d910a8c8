import PackFormat

/// Finds what a channel offers to all devices, whatever they are.
struct ChcpOffers: Sendable {
    let tools: AdapterTools

    /// What was found, or why there is nothing for these clients.
    private enum Finding {
        case offer(ChcpOffer)
        case nothing(String)
    }

    /// - Throws: ``Problem`` with the reason if there is nothing: the clients then keep what they have.
    func offer(of package: PackageID, on channel: ChannelName) async throws -> ChcpOffer {
        guard let answer = try await answer(package, channel, app: nil) else {
            throw Problem.notFound(
                try await tools.knows(package)
                    ? "the channel \(channel) offers no version of \(package)" : "there is no package \(package) here")
        }
        guard answer.offer.isEnabled else {
            throw Problem.notFound("the channel \(channel) has \(package) switched off")
        }
        var refusal: String?
        // The app's version is the one fact that the protocol has a word for.
        if let needed = answer.neededApp.flatMap(Self.nativeInterface),
            let other = try await self.answer(package, channel, app: AppVersion("\(needed)"))
        {
            switch try await finding(in: other) {
            case .offer(let offer): return offer
            case .nothing(let reason): refusal = reason
            }
        }
        switch try await finding(in: answer) {
        case .offer(let offer): return offer
        case .nothing(let reason):
            let why = refusal ?? reason
            throw Problem.notFound(
                "the channel \(channel) offers no version of \(package) that these clients can take: \(why)")
        }
    }

    private func answer(
        _ package: PackageID, _ channel: ChannelName, app: AppVersion?
    ) async throws -> UpdateAnswer? {
        try await tools.desk.answer(
            UpdateQuery(
                channel: channel, package: package, device: DeviceFacts(deviceID: "", appVersion: app), current: nil))
    }

    private func finding(in answer: UpdateAnswer) async throws -> Finding {
        guard let release = answer.decision.release else { return .nothing(Self.reason(answer)) }
        guard let version = release.version else { return .nothing("it goes back to what the app brought") }
        let name = "\(answer.query.package) \(version)"
        guard release.rollout.reachesEveryone else { return .nothing(Self.partly(release, name)) }
        guard let manifest = try await tools.manifest(of: answer.query.package, version) else {
            return .nothing("the publisher of \(name) withdrew it")
        }
        if let fault = ChcpFiles.fault(of: manifest) { return .nothing("\(name) \(fault)") }
        guard let range = release.requiredApp else {
            return .offer(ChcpOffer(manifest: manifest, release: release, nativeInterface: 0))
        }
        guard let number = Self.nativeInterface(range) else { return .nothing(Self.unspeakable(range, name)) }
        return .offer(ChcpOffer(manifest: manifest, release: release, nativeInterface: number))
    }

    /// Why no release is for a device that says nothing: the newest one's reason.
    private static func reason(_ answer: UpdateAnswer) -> String {
        let package = answer.query.package
        guard let newest = answer.offer.releases.first else { return "it offers no version of \(package)" }
        let name = newest.version.map { "\(package) \($0)" } ?? "the way back to what the app brought"
        guard newest.rollout.reachesEveryone, let step = answer.decision.steps.first else {
            return partly(newest, name)
        }
        if case .appTooOld(let range, _) = step.reason { return unspeakable(range, name) }
        return "\(name) is for no device as it is: \(step.reason)"
    }

    private static func partly(_ release: Release, _ name: String) -> String {
        "\(name) is for \(release.rollout.devicesText), and they do not say what device they are on"
    }

    private static func unspeakable(_ range: VersionRange, _ name: String) -> String {
        "\(name) requires app \(range), and they understand only ranges such as >=3.0.0"
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
