import Foundation
import PackFormat
import PackRegistryAPI

/// How commands show a rollout.
enum RolloutText {
    static func status(_ status: RolloutStatus) -> String {
        let devices = status.plan.devices.flatMap { all in
            status.plan.deviceCount(status.share).map { " (about \(CountText.number($0)) of \(CountText.number(all)))" }
        }
        let step = status.stepNumber == 0 ? "before step 1" : "step \(status.stepNumber)"
        let isGone = status.state == .rolledBack
        let name = "\(status.package) \(status.version?.description ?? "embedded")"
        return """
            \(status.channel): \(name) is \(word(status.state)), \(step) of \(status.steps.count): \
            \(isGone ? "nobody gets it, before it was " : "")\(status.share) of the devices\(devices ?? "")
            since \(date(status.since, status.plan)), by \(status.actor): \(status.reason)
            \(next(status))
            \(plan(status))
            """
    }

    private static func word(_ state: RolloutStatus.State) -> String {
        state == .rolledBack ? "rolled back" : state.rawValue
    }

    /// What is done next, when, and why.
    static func next(_ status: RolloutStatus) -> String {
        let next = status.next
        guard let date = next.date else { return "next: nothing by itself: \(next.reason)" }
        let share = next.share.map { "\($0) at " } ?? ""
        return "next: \(share)\(Self.date(date, status.plan)): \(next.reason)"
    }

    /// A row for each step.
    static func plan(_ status: RolloutStatus) -> String {
        let plan = status.plan
        let rows = status.steps.enumerated().map { index, step in
            [
                "\(index + 1)", "\(step.share)", step.time?.description ?? "-",
                plan.deviceCount(step.share).map(CountText.number) ?? "unknown",
                step.reached.map { "reached \(date($0, plan))" }
                    ?? step.expected.map { "expected \(date($0, plan))" }
                    ?? (status.state == .rolledBack ? "never" : "when somebody says so"),
            ]
        }
        var lines = TextTable.lines([["STEP", "SHARE", "FOR", "DEVICES", "WHEN"]] + rows)
        if let cap = plan.newDevicesPerHour, let share = plan.hourlyShare {
            lines.append(
                "at most \(CountText.text(cap, "new device")) an hour: shares grow by \(share) an hour at most")
        }
        lines.append("times are of \(zone(plan).identifier == "GMT" ? "UTC" : zone(plan).identifier)")
        return lines.joined(separator: "\n")
    }

    /// Such as `Wed 2026-11-25 09:00:00`, on the clock of the plan's office hours, else in UTC.
    static func date(_ date: Date, _ plan: RolloutPlan) -> String {
        let zone = zone(plan)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let day = days[(calendar.component(.weekday, from: date) - 1) % 7]
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon, timeZone: zone
        ).year().month().day().time(includingFractionalSeconds: false)
        return "\(day) \(date.formatted(style))"
    }

    private static func zone(_ plan: RolloutPlan) -> TimeZone { plan.hours?.zone ?? .gmt }
}
