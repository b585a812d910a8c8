import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI

/// How commands show a rollout.
enum RolloutText {
    /// - Parameter offered: what the channel offers of the package, newest first.
    static func status(_ status: RolloutStatus, _ offered: [Release]) -> String {
        let newer = status.superseding(offered)
        let audiences = offered.first { $0.id == status.release }?.rollout.audiences
        let devices = status.plan.devices.flatMap { all in
            status.plan.deviceCount(status.share).map { " (about \(CountText.number($0)) of \(CountText.number(all)))" }
        }
        let again = status.offeredAgain(offered)
        let date = PlanWords(status.plan).date(status.since)
        let after =
            newer.map { ", and superseded by \(ReleaseMoves.destination($0))" }
            ?? again.map { ", and offered again, without this plan, to \($0.rollout.devicesText)" } ?? ""
        let isGone = status.state == .rolledBack || newer != nil
        let reach = again != nil ? "by the plan it was " : isGone ? "nobody gets it, before it was " : ""
        return """
            \(status.channel): \(name(status)) is \(word(status.state))\(after), \(status.place): \
            \(reach)\(status.share) of the devices\(devices ?? "")
            since \(date), by \(status.actor): \(status.reason)
            \(next(status, supersededBy: newer))\(status.gate.map { "\ngate: \($0.text)" } ?? "")
            \(plan(PlanWords(status.plan, status, audiences: audiences)).joined(separator: "\n"))
            """
    }

    /// A line for each rollout, of all packages and channels, each with what its channel offers of its package.
    static func overview(_ rollouts: [(RolloutStatus, [Release])]) -> String {
        let rows = rollouts.map { status, offered in
            let (newer, again) = (status.superseding(offered), status.offeredAgain(offered))
            let isGone = status.state == .rolledBack || newer != nil
            return [
                status.package.text, status.version?.description ?? "embedded", status.channel.text,
                word(status.state) + (again == nil ? "" : ", offered again"), status.place,
                again.map { "\($0.rollout.share)" } ?? (isGone ? "0 %" : "\(status.share)"),
                String(next(status, supersededBy: newer).dropFirst("next: ".count)),
            ]
        }
        return TextTable.lines([["PACKAGE", "VERSION", "CHANNEL", "STATE", "STEP", "SHARE", "NEXT"]] + rows)
            .joined(separator: "\n")
    }

    private static func name(_ status: RolloutStatus) -> String {
        "\(status.package) \(status.version?.description ?? "embedded")"
    }

    static func word(_ state: RolloutStatus.State) -> String {
        state == .rolledBack ? "rolled back" : state.rawValue
    }

    /// What is done next, when, and why.
    static func next(_ status: RolloutStatus, supersededBy newer: Release? = nil) -> String {
        if let newer { return "next: nothing by itself: all devices get \(ReleaseMoves.destination(newer))" }
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
    static func plan(_ words: PlanWords) -> [String] {
        TextTable.lines([words.header] + words.rows) + words.conditions
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
