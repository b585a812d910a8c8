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
            \(next(status))\(status.gate.map { "\ngate: \($0.text)" } ?? "")
            \(plan(status))
            """
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
        return "next: \(share)\(Self.date(date, status.plan)): \(next.reason)"
    }

    /// A row for each step.
    static func plan(_ status: RolloutStatus) -> String {
        let plan = status.plan
        let hasGates = plan.steps.contains { $0.gate != nil }
        let rows = status.steps.enumerated().map { index, step -> [String] in
            var row = ["\(index + 1)", "\(step.share)", step.time?.description ?? "-"]
            row.append(plan.deviceCount(step.share).map(CountText.number) ?? "unknown")
            row.append(when(step, status))
            if hasGates { row.append(plan.steps.indices.contains(index) ? gate(plan.steps[index].gate) : "-") }
            return row
        }
        var lines = TextTable.lines(
            [["STEP", "SHARE", "FOR", "DEVICES", "WHEN"] + (hasGates ? ["GATE"] : [])] + rows)
        if hasGates {
            lines.append("with a gate a step is taken then at the earliest; docs/REPORTS.md says how it decides")
        }
        if let cap = plan.newDevicesPerHour, let share = plan.hourlyShare {
            lines.append(
                "at most \(CountText.text(cap, "new device")) an hour: shares grow by \(share) an hour at most")
        }
        if let set = status.setText {
            lines.append("one plan for the whole set: \(set) take each step together")
        }
        lines.append("times are of \(zone(plan).planName)")
        return lines.joined(separator: "\n")
    }

    private static func when(_ step: RolloutStatus.Step, _ status: RolloutStatus) -> String {
        if let reached = step.reached { return "reached \(date(reached, status.plan))" }
        if let expected = step.expected { return "expected \(date(expected, status.plan))" }
        return status.state == .rolledBack ? "never" : "when somebody says so"
    }

    /// Such as `halts above +0.5, goes on below +3 of 200, silent after 1d`, in percentage points.
    private static func gate(_ gate: RolloutGate?) -> String {
        guard let gate else { return "-" }
        return "halts above +\(gate.haltAbove.percentText), goes on below +\(gate.advanceBelow.percentText) of "
            + "\(gate.devices), silent after \(gate.silence)"
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
