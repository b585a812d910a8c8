import PackFormat
import PackRegistryAPI

/// Where a rollout with a plan is.
struct RolloutSection {
    let status: RolloutStatus
    /// The release for all devices that hides this one.
    private let newer: Release?
    /// The release by which devices get the version again, without the plan.
    private let again: Release?

    /// - Parameter offered: what the channel offers of the package, newest first.
    init(_ status: RolloutStatus, _ offered: [Release]) {
        self.status = status
        newer = status.superseding(offered)
        again = status.offeredAgain(offered)
    }

    var html: HTML {
        tag("section", .labelledBy("rollout")) {
            tag("h2", .id("rollout")) { "Rollout of \(ReleaseWords.version(status.version))" }
            tag("p") {
                ReleaseWords.state(status.state)
                " at \(status.share) of the devices\(devices(status.share)), \(status.place), since \(Words.date(status.since)), by "
                foreign(status.actor)
                if !status.reason.isEmpty {
                    ": "
                    foreign(status.reason)
                }
            }
            if let newer {
                tag("p") { "Superseded: all devices get \(ReleaseWords.version(newer)), and nobody gets this one." }
            }
            if let again {
                tag("p") { "Offered again, without this plan, to \(again.rollout.devicesText)." }
            }
            progress
            if let set = status.setText {
                tag("p") { "One plan for the whole set: \(set) take each step together." }
            }
            tag("p") {
                "Next: "
                if newer != nil {
                    "nothing by itself"
                } else if let date = status.next.date {
                    "\(status.next.share.map { "\($0) " } ?? "")at \(Words.date(date)): "
                } else {
                    "nothing by itself: "
                }
                if newer == nil { foreign(status.next.reason) }
            }
            if let gate = status.gate {
                tag("p") {
                    "Gate: "
                    tag("strong", .class(gate.verdict == .halting ? "state bad" : "state")) { gate.verdict.rawValue }
                    " "
                    foreign(gate.text)
                }
            }
            steps
            if let cap = status.plan.newDevicesPerHour {
                tag("p", .class("quiet")) { "At most \(Words.count(cap, "new device")) an hour." }
            }
        }
    }

    private func devices(_ share: Share) -> String {
        status.plan.deviceCount(share).map { " (about \(Words.count($0)))" } ?? ""
    }

    /// The share as a bar with a mark for each step.
    private var progress: HTML {
        let tenths = status.state == .rolledBack || newer != nil ? 0 : status.share.tenThousandths / 10
        return tag(
            "svg", .class("progress"), .of("viewBox", "0 0 1000 30"), .of("preserveAspectRatio", "none"),
            .role("img"), .label("\(status.share) of the devices, step \(status.stepNumber) of \(status.steps.count)")
        ) {
            tag("rect", .class("track"), .of("y", "6"), .of("width", "1000"), .of("height", "18"))
            tag("rect", .class("fill s0"), .of("y", "6"), .of("width", "\(tenths)"), .of("height", "18"))
            for step in status.steps {
                tag(
                    "line", .class("mark"), .of("x1", "\(mark(step))"), .of("x2", "\(mark(step))"), .of("y1", "0"),
                    .of("y2", "30"))
            }
        }
    }

    private func mark(_ step: RolloutStatus.Step) -> Int { min(998, max(2, step.share.tenThousandths / 10)) }

    private var steps: HTML {
        var table = Table(
            "Steps of the plan",
            [.text("Step"), .number("Share"), .text("For"), .number("Devices"), .text("When")])
        for (index, step) in status.steps.enumerated() {
            table.add(
                cell("\(index + 1)"), cell("\(step.share)"), cell(step.time?.description ?? "–"),
                cell(status.plan.deviceCount(step.share).map { Words.count($0) } ?? "unknown"), cell(when(step)))
        }
        return table.html
    }

    private func when(_ step: RolloutStatus.Step) -> String {
        if let reached = step.reached { return "reached \(Words.date(reached))" }
        if let expected = step.expected { return "expected \(Words.date(expected))" }
        return status.state == .rolledBack ? "never" : "when somebody says so"
    }
}
