import Foundation
import PackFormat
import PackRegistryAPI

/// How commands show a rollout.
enum RolloutText {
    static func status(_ status: RolloutStatus) -> String {
        let devices = status.plan.devices.flatMap { all in
            status.plan.deviceCount(status.share).map { " (about \(CountText.number($0)) of \(CountText.number(all)))" }
        }
        let isGone = status.state == .rolledBack
        let date = PlanWords(status.plan).date(status.since)
        return """
            \(status.channel): \(name(status)) is \(word(status.state)), \(status.place): \
            \(isGone ? "nobody gets it, before it was " : "")\(status.share) of the devices\(devices ?? "")
            since \(date), by \(status.actor): \(status.reason)
            \(next(status))\(status.gate.map { "\ngate: \($0.text)" } ?? "")
            \(plan(PlanWords(status.plan, status)))
            """
    }

    /// A line for each rollout, of all packages and channels.
    static func overview(_ rollouts: [RolloutStatus]) -> String {
        let rows = rollouts.map { status in
            [
                status.package.text, status.version?.description ?? "embedded", status.channel.text,
                word(status.state), status.place, status.state == .rolledBack ? "0 %" : "\(status.share)",
                String(next(status).dropFirst("next: ".count)),
            ]
        }
        return TextTable.lines([["PACKAGE", "VERSION", "CHANNEL", "STATE", "STEP", "SHARE", "NEXT"]] + rows)
            .joined(separator: "\n")
    }

    private static func name(_ status: RolloutStatus) -> String {
        "\(status.package) \(status.version?.description ?? "embedded")"
    }

    private static func word(_ state: RolloutStatus.State) -> String {
        state == .rolledBack ? "rolled back" : state.rawValue
    }

    /// What is done next, when, and why.
    static func next(_ status: RolloutStatus) -> String {
        let next = status.next
        if next.isGated {
            let share = next.share.map { "\($0) as soon as the gate lets it" } ?? "the end as soon as the gate lets it"
            return "next: \(share)"
        }
        guard let date = next.date else { return "next: nothing by itself: \(next.reason)" }
        let share = next.share.map { "\($0) at " } ?? ""
        return "next: \(share)\(PlanWords(status.plan).date(date)): \(next.reason)"
    }

    /// A row for each step, and what else the plan says.
    static func plan(_ words: PlanWords) -> String {
        (TextTable.lines([words.header] + words.rows) + words.conditions).joined(separator: "\n")
    }

    /// What a runner does next, when, and to what.
    static func next(_ run: RolloutRun) -> String? {
        guard let date = run.next else { return nil }
        let time = date.formatted(.iso8601)
        return switch run.subject {
        case .plan(let package, let version, let channel, let share):
            "next: \(time): \(package) \(version?.description ?? "embedded") on \(channel)"
                + (share.map { " to \($0)" } ?? ", whose share stays")
        case .change(let id, let channel): "next: \(time): change \(id) on \(channel)"
        case nil: "next: \(time)"
        }
    }
}
