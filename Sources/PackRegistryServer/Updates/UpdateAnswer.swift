import PackFormat

/// What a device should have, and why.
struct UpdateAnswer: Sendable {
    let query: UpdateQuery
    /// The device with its groups.
    let device: DeviceFacts
    let app: String
    /// What the channel says of the package.
    let offer: ChannelFile.Package
    let decision: RolloutDecision

    /// Whether the device runs the version of the release that admits it.
    var isCurrent: Bool { decision.release?.version.map { $0.description == query.current } ?? false }

    /// How the device takes the release; the standard one where none admits it.
    var policy: ClientPolicy {
        guard let release = decision.release else { return .standard }
        return RolloutDecision.terms(
            of: release, in: offer, app: app, package: query.package, device: device,
            running: query.current.flatMap { try? SemanticVersion($0) }
        ).policy
    }

    /// The app versions of the newest release that would be the device's if its app were another; nil for none.
    var neededApp: VersionRange? {
        for step in decision.steps {
            guard case .appTooOld(let range, _) = step.reason else { continue }
            let without = RolloutDecision(
                app: app, package: query.package, releases: [step.release.forEveryApp], device: device)
            if without.release != nil { return range }
        }
        return nil
    }
}
