package import Foundation
package import PackFormat

/// How the share of a release grows over time.
///
///     {"steps": [{"share": 1, "for": "4h"}, {"share": 10, "for": "1d"}, {"share": 100}]}
///
/// `docs/ROLLOUTS.md` says what each part means, and `docs/schema/plan.schema.json` what is allowed.
package struct RolloutPlan: Hashable, Sendable {
    package static let maximumStepCount = 100
    /// Of a plan's file.
    package static let maximumByteCount = 256 << 10
    package static let maximumDeviceCount = 10_000_000_000

    package struct Step: Hashable, Sendable {
        /// Of the devices that the release's audiences admit.
        package let share: Share
        /// How long it stays; nil on the last step only: the rollout is complete with it.
        package let time: PlanDuration?
        /// What devices must report before the next step is taken; nil: the time alone decides.
        package let gate: RolloutGate?

        package init(share: Share, time: PlanDuration?, gate: RolloutGate? = nil) {
            self.share = share
            self.time = time
            self.gate = gate
        }
    }

    package enum Start: Hashable, Sendable {
        /// As soon as the plan is attached.
        case atOnce
        case at(Date)
        /// When somebody says `packtool rollout start`.
        case manual
    }

    /// What a step that is over leads to while nothing is known of how devices do.
    package enum UnknownHealth: String, Hashable, Sendable, CaseIterable {
        /// The next step is taken.
        case advance
        /// Somebody has to say `packtool rollout advance`.
        case wait
    }

    package let steps: [Step]
    package let start: Start
    /// No step is taken from then on.
    package let end: Date?
    /// nil: at any time.
    package let hours: OfficeHours?
    /// How many devices there are, as far as anybody knows.
    package let devices: Int?
    package let newDevicesPerHour: Int?
    /// The same as a share of the devices, rounded down.
    package let hourlyShare: Share?
    package let unknownHealth: UnknownHealth

    /// - Throws: ``FieldFault``
    package init(
        steps: [Step], start: Start = .atOnce, end: Date? = nil, hours: OfficeHours? = nil, devices: Int? = nil,
        newDevicesPerHour: Int? = nil, unknownHealth: UnknownHealth = .advance
    ) throws(FieldFault) {
        try Self.check(steps)
        if let end, case .at(let start) = start, end <= start {
            throw FieldFault("end", "it is not after the plan's start")
        }
        if let devices, !(1...Self.maximumDeviceCount).contains(devices) {
            throw FieldFault("devices", "it must be 1 to \(Self.maximumDeviceCount)")
        }
        hourlyShare = try newDevicesPerHour.map { (cap) throws(FieldFault) in try Self.hourlyShare(cap, of: devices) }
        self.steps = steps
        self.start = start
        self.end = end
        self.hours = hours
        self.devices = devices
        self.newDevicesPerHour = newDevicesPerHour
        self.unknownHealth = unknownHealth
    }

    private static func check(_ steps: [Step]) throws(FieldFault) {
        guard (1...maximumStepCount).contains(steps.count) else {
            throw FieldFault("steps", "it has \(steps.count) steps: 1 to \(maximumStepCount) are allowed")
        }
        for (index, step) in steps.enumerated() {
            guard step.share > .none else { throw FieldFault("steps[\(index)].share", "it must be above 0") }
            if index > 0, step.share <= steps[index - 1].share {
                throw FieldFault(
                    "steps[\(index)].share",
                    "\(step.share) is not more than the \(steps[index - 1].share) of the step before: a plan only grows"
                )
            }
            guard step.time != nil || index == steps.count - 1 else {
                throw FieldFault("steps[\(index)]", "\"for\" is missing: how long it stays, such as \"4h\"")
            }
            guard step.gate == nil || step.time != nil else {
                throw FieldFault("steps[\(index)].gate", "a step without \"for\" ends the rollout: no gate can stop it")
            }
        }
    }

    private static func hourlyShare(_ cap: Int, of devices: Int?) throws(FieldFault) -> Share {
        guard cap >= 1 else { throw FieldFault("newDevicesPerHour", "it must be 1 or more") }
        guard let devices else {
            throw FieldFault(
                "newDevicesPerHour", "how many devices there are is not known: add \"devices\", or give --devices COUNT"
            )
        }
        let parts = cap >= devices ? 10_000 : cap * 10_000 / devices
        guard let share = try? Share(tenThousandths: parts), share > .none else {
            throw FieldFault(
                "newDevicesPerHour",
                "\(cap) of \(devices) devices are less than 0.01 % an hour, the least by which a share can grow")
        }
        return share
    }

    /// 1 % for a day, 10 % for a day, 50 % for a day, then everybody, with the standard gate.
    package static func gradual(devices: Int? = nil) throws(FieldFault) -> RolloutPlan {
        let shares = [1, 10, 50].compactMap { try? Share(percent: $0) }
        return try RolloutPlan(
            steps: shares.map { Step(share: $0, time: .day, gate: .standard) } + [Step(share: .whole, time: nil)],
            devices: devices)
    }

    /// The same plan, in which each step that has no gate gets the standard one.
    package var gated: RolloutPlan {
        get throws(FieldFault) {
            try RolloutPlan(
                steps: steps.map { step in
                    // Nothing comes after a step that stays.
                    step.time == nil ? step : Step(share: step.share, time: step.time, gate: step.gate ?? .standard)
                }, start: start, end: end, hours: hours, devices: devices, newDevicesPerHour: newDevicesPerHour,
                unknownHealth: unknownHealth)
        }
    }

    /// Of the last step.
    package var lastShare: Share { steps.last?.share ?? .none }

    /// How many devices a share is; nil where it is not known how many there are.
    package func deviceCount(_ share: Share) -> Int? { devices.map { $0 * share.tenThousandths / 10_000 } }
}
