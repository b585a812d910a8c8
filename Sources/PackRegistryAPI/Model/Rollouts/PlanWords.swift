package import Foundation
package import PackFormat

/// How people read a plan: a row for each step, and sentences for the rest. Commands and pages show the same.
package struct PlanWords: Sendable {
    private let plan: RolloutPlan
    private let status: RolloutStatus?
    private let audiences: [Audience]?

    /// - Parameters:
    ///   - status: where the plan is; nil: no step has a date.
    ///   - audiences: whom the release is for; nil: nothing is said of it.
    package init(_ plan: RolloutPlan, _ status: RolloutStatus? = nil, audiences: [Audience]? = nil) {
        self.plan = plan
        self.status = status
        self.audiences = audiences
    }

    /// Of a release by a plan, as a request would leave it; nil without a plan.
    package init?(_ outcome: RolloutOutcome) {
        guard let status = outcome.status else { return nil }
        let release = outcome.releases.first { $0.id == status.release }
        self.init(status.plan, status, audiences: release?.rollout.audiences)
    }

    // MARK: Steps

    package var header: [String] {
        ["STEP", "SHARE", "FOR", "DEVICES"] + (status == nil ? [] : ["WHEN"]) + (hasGates ? ["GATE"] : [])
    }

    /// A row for each step, with the columns of ``header``.
    package var rows: [[String]] {
        plan.steps.enumerated().map { index, step in
            var row = ["\(index + 1)", "\(step.share)", step.time?.description ?? "-"]
            row.append(plan.deviceCount(step.share).map(CountText.number) ?? "unknown")
            if let status { row.append(status.steps.indices.contains(index) ? when(status.steps[index], status) : "-") }
            if hasGates { row.append(Self.gate(step.gate)) }
            return row
        }
    }

    private var hasGates: Bool { plan.steps.contains { $0.gate != nil } }

    private func when(_ step: RolloutStatus.Step, _ status: RolloutStatus) -> String {
        if let reached = step.reached { return "reached \(date(reached))" }
        if let expected = step.expected { return "expected \(date(expected))" }
        return status.state == .rolledBack ? "never" : "when somebody says so"
    }

    /// Such as `halts above +0.5, goes on below +3 of 200, silent after 1d`, in percentage points.
    private static func gate(_ gate: RolloutGate?) -> String {
        guard let gate else { return "-" }
        return "halts above +\(gate.haltAbove.percentText), goes on below +\(gate.advanceBelow.percentText) of "
            + "\(gate.devices), silent after \(gate.silence)"
    }

    // MARK: The rest

    /// Whom it is for, when it starts and ends, when steps may be taken, and how many devices may be added.
    package var conditions: [String] {
        var lines: [String] = []
        if let audiences {
            lines.append(
                audiences.isEmpty
                    ? "for all devices, of which the shares are"
                    : "for \(audiences.map(\.description).joined(separator: ", or for ")): the shares are of these devices"
            )
        }
        if let devices = plan.devices { lines.append("numbers of devices are of \(CountText.number(devices))") }
        if status == nil || status?.state == .scheduled { lines += start }
        if let end = plan.end { lines.append("no step is taken from \(date(end)) on") }
        if let hours = plan.hours {
            let windows = hours.windows.map(\.text).joined(separator: " and ")
            lines.append("steps are taken \(windows) only, on the clock of \(hours.zone.planName)")
        }
        if hasGates {
            lines.append("with a gate a step is taken then at the earliest; docs/REPORTS.md says how it decides")
        }
        let isOver = status.map { ![.scheduled, .running, .paused].contains($0.state) } ?? false
        // The last step needs nothing to go on.
        for (index, step) in plan.steps.enumerated().dropLast() where !isOver {
            guard let gate = step.gate, let count = plan.deviceCount(step.share), count < gate.devices else { continue }
            lines.append(
                "step \(index + 1) has about \(CountText.text(count, "device")) and its gate waits for \(gate.devices): "
                    + "a smaller \"devices\" in the plan's gate, or packtool rollout advance, lets the plan go on")
        }
        if plan.unknownHealth == .wait {
            lines.append("after the first, a step without a gate waits for packtool rollout advance")
        }
        if let cap = plan.newDevicesPerHour, let share = plan.hourlyShare {
            lines.append(
                "at most \(CountText.text(cap, "new device")) an hour: shares grow by \(share) an hour at most")
        }
        if let set = status?.setText { lines.append("one plan for the whole set: \(set) take each step together") }
        return lines + ["times are of \(zone.planName)"]
    }

    private var start: [String] {
        switch plan.start {
        case .atOnce: status == nil ? ["starts at once"] : []
        case .at(let time): ["starts at \(date(time))"]
        case .manual: ["starts with packtool rollout start"]
        }
    }

    private var zone: TimeZone { plan.hours?.zone ?? .gmt }

    /// Such as `Wed 2026-11-25 09:00:00`, on the clock of the plan's office hours, else in UTC.
    package func date(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let day = days[(calendar.component(.weekday, from: date) - 1) % 7]
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon, timeZone: zone
        ).year().month().day().time(includingFractionalSeconds: false)
        return "\(day) \(date.formatted(style))"
    }
}
