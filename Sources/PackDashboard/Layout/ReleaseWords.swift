import PackFormat
import PackRegistryAPI

/// How pages name releases and rollouts.
enum ReleaseWords {
    /// Such as `1.4.0 to 10 %, 1.3.0 to the others`.
    static func offer(_ releases: [Release]) -> String {
        guard let newest = releases.first else { return "nothing" }
        if newest.rollout.reachesEveryone { return "\(version(newest)) to all devices" }
        return releases.map { release in
            "\(version(release)) to \(release.rollout.reachesEveryone ? "the others" : release.rollout.text)"
        }.joined(separator: ", ")
    }

    static func version(_ release: Release) -> String { version(release.version) }

    static func version(_ version: SemanticVersion?) -> String { version?.description ?? "what the app embeds" }

    static func word(_ state: RolloutStatus.State) -> String {
        switch state {
        case .scheduled: "scheduled"
        case .running: "running"
        case .paused: "paused"
        case .halted: "halted"
        case .completed: "complete"
        case .rolledBack: "rolled back"
        }
    }

    static func state(_ state: RolloutStatus.State) -> HTML {
        let kind =
            switch state {
            case .running, .completed: "good"
            case .halted, .rolledBack: "bad"
            case .scheduled, .paused: "warn"
            }
        return tag("strong", .class("state \(kind)")) { word(state) }
    }

    static func code(_ failure: ReportStats.Failure) -> String {
        [failure.phase?.rawValue, failure.fault?.rawValue].compactMap(\.self).joined(separator: ": ")
    }
}
