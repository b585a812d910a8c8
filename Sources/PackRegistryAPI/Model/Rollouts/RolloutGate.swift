package import PackFormat

/// How well devices must do with a release before a plan gives it to more of them, and how badly before the plan halts.
///
///     {"haltAbove": "0.5", "advanceBelow": 3, "devices": 200, "silence": "1d", "expected": 2, "networks": 5}
///
/// Each part may be left out; these are the defaults. `docs/REPORTS.md` has the method.
package struct RolloutGate: Hashable, Sendable {
    package static let standard = RolloutGate(unchecked: ())

    /// The plan halts as soon as the share of devices that fail is surely larger than that of the version before by more than
    /// this many percentage points.
    package let haltAbove: Share
    /// The next step is taken only once it is surely larger by less than this.
    package let advanceBelow: Share
    /// How many devices must have been judged before the next step.
    package let devices: Int
    /// A device that says nothing for so long after a version became active has failed.
    package let silence: PlanDuration
    /// The share of devices that fail anyway, where too little is known of the version before.
    package let expected: Share
    /// A halt needs failures from so many networks, and no network counts for more than the one at this place by size.
    package let networks: Int

    package static let maximumDeviceCount = 100_000_000
    package static let maximumNetworkCount = 100
    /// Reports of activations are kept for 8 days at least.
    package static let longestSilence = 7 * 86_400
    /// Times in reports are quarters of an hour.
    package static let shortestSilence = 900

    private init(unchecked: Void) {
        (haltAbove, advanceBelow) = (Share(hundredths: 50), Share(hundredths: 300))
        (devices, silence, expected, networks) = (200, .day, Share(hundredths: 200), 5)
    }

    /// What is nil has its default.
    /// - Throws: ``FieldFault``
    package init(
        haltAbove: Share? = nil, advanceBelow: Share? = nil, devices: Int? = nil, silence: PlanDuration? = nil,
        expected: Share? = nil, networks: Int? = nil
    ) throws(FieldFault) {
        let standard = Self.standard
        self.haltAbove = haltAbove ?? standard.haltAbove
        // A gate that is only said to be laxer is laxer for the next step too.
        self.advanceBelow = advanceBelow ?? max(standard.advanceBelow, self.haltAbove)
        self.devices = devices ?? standard.devices
        self.silence = silence ?? standard.silence
        self.expected = expected ?? standard.expected
        self.networks = networks ?? standard.networks
        guard self.advanceBelow > .none else { throw FieldFault("advanceBelow", "it must be above 0") }
        guard self.advanceBelow >= self.haltAbove else {
            throw FieldFault(
                "advanceBelow",
                "\(self.advanceBelow) is less than \"haltAbove\", \(self.haltAbove): it would halt and go on")
        }
        guard (1...Self.maximumDeviceCount).contains(self.devices) else {
            throw FieldFault("devices", "it must be 1 to \(Self.maximumDeviceCount)")
        }
        guard (Self.shortestSilence...Self.longestSilence).contains(self.silence.seconds) else {
            throw FieldFault("silence", "\(self.silence) is not from 15m to 7d, in which reports can tell")
        }
        guard (1...Self.maximumNetworkCount).contains(self.networks) else {
            throw FieldFault("networks", "it must be 1 to \(Self.maximumNetworkCount)")
        }
    }
}

extension Share {
    /// Of a percent; within 0 to 10,000.
    fileprivate init(hundredths: Int) { self = (try? Share(tenThousandths: hundredths)) ?? .none }
}
