package import PackFormat
package import PackRegistryAPI

/// Compares how devices do with a release and with the version before it, and decides: halt, go on, or wait. Pure.
///
/// It halts when the lower bound of the difference of the shares of failures exceeds `haltAbove`, and lets the next step be taken
/// when the upper bound is below `advanceBelow` and enough devices were judged. `docs/REPORTS.md` has the method, and what
/// simulations say about it.
package struct GateRule: Sendable {
    /// 95 % to one side. A step that is taken too soon does no harm that the halt does not find.
    private static let advanceZ = 1.645
    /// With fewer devices of the version before, the gate's `expected` share is what a release is compared with.
    package static let leastBaseline = 100

    private let gate: RolloutGate
    private let versionBefore: SemanticVersion?

    /// - Parameter versionBefore: what devices have that are not in the release; nil: what the app embeds.
    package init(_ gate: RolloutGate, versionBefore: SemanticVersion?) {
        self.gate = gate
        self.versionBefore = versionBefore
    }

    /// - Parameters:
    ///   - release: the devices with the release.
    ///   - before: those with the version before, of the same days, and of as many days as are known.
    package func reading(
        _ release: [ExposureCount], sameDays before: [ExposureCount] = [], allDays: [ExposureCount] = []
    ) -> GateReading {
        reading(
            GateSample(release, networks: gate.networks),
            [before, allDays].map { GateSample($0, networks: gate.networks) })
    }

    /// - Parameter known: samples of the version before, the best first; one with enough devices is compared with.
    func reading(_ new: GateSample, _ known: [GateSample]) -> GateReading {
        let old = known.first { $0.comparable.devices >= Self.leastBaseline }
        let halt = difference(new.sofar, old, z: HaltBoundary.z(devices: new.sofar.devices))
        let advance = difference(new.judged, old, z: Self.advanceZ)
        let isSuspicious = new.isSuspicious || old?.isSuspicious == true
        let verdict: GateReading.Verdict
        let reason: String
        if new.sofar.failures > 0, halt.low > part(gate.haltAbove) {
            verdict = .halting
            reason =
                "surely \(points(halt.low)) points worse or more, and it halts above \(points(part(gate.haltAbove)))"
        } else if let wait = waitReason(new, advance, isSuspicious) {
            (verdict, reason) = (.waiting, wait)
        } else {
            verdict = .clear
            reason = "surely not \(points(part(gate.advanceBelow))) points worse: \(points(advance.high)) at most"
        }
        return GateReading(
            verdict: verdict, text: "\(numbers(new, old, known)); \(reason)", release: new.reported,
            before: old?.reported,
            versionBefore: old == nil ? nil : versionBefore, leastDifference: rounded(halt.low),
            mostDifference: rounded(advance.high), isSuspicious: isSuspicious)
    }

    private func waitReason(_ new: GateSample, _ advance: FailureDifference, _ isSuspicious: Bool) -> String? {
        guard new.networkCount >= gate.networks || new.reported.active == 0 || gate.networks == 1 else {
            return "reports come from \(new.networkCount) networks, and the gate asks for \(gate.networks)"
        }
        guard new.judged.devices >= gate.devices else {
            let waiting =
                new.reported.waiting > 0 ? ", \(new.reported.waiting) more have up to \(gate.silence) to report" : ""
            return "the next step waits for \(gate.devices) judged devices: \(new.judged.devices) are\(waiting)"
        }
        guard !isSuspicious else {
            return
                "a few networks sent most of the reports, which do not count; look at them, then packtool rollout advance"
        }
        guard advance.high < part(gate.advanceBelow) else {
            return
                "it may still be \(points(advance.high)) points worse, and the next step asks for less than "
                + points(part(gate.advanceBelow))
        }
        return nil
    }

    private func difference(_ new: FailureCount, _ old: GateSample?, z: Double) -> FailureDifference {
        guard let old else { return FailureDifference(new, over: part(gate.expected), z: z) }
        return FailureDifference(new, over: old.comparable, z: z)
    }

    // MARK: Words

    private func numbers(_ new: GateSample, _ old: GateSample?, _ known: [GateSample]) -> String {
        let sample = new.reported
        let failed =
            "\(sample.failures) of \(sample.active) devices failed"
            + (sample.silent > 0 ? ", \(sample.silent) of them by silence" : "")
        let cut = new.uncounted > 20 ? " (\(new.uncounted) devices of large networks do not count)" : ""
        guard let old else {
            let devices = known.map(\.comparable.devices).max() ?? 0
            return
                "\(failed)\(cut); \(versionBefore.map(\.description) ?? "what the app embeds") is taken to fail on "
                + "\(gate.expected): \(CountText.text(devices, "device")) reported about it, and a comparison needs \(Self.leastBaseline)"
        }
        let before = old.comparable
        return
            "\(failed)\(cut); of \(versionBefore.map(\.description) ?? "the version before") it is \(before.failures) of "
            + "\(before.devices)"
    }

    private func part(_ share: Share) -> Double { Double(share.tenThousandths) / 10_000 }

    /// In 1/10,000.
    private func rounded(_ difference: Double) -> Int { Int((difference * 10_000).rounded()) }

    /// Percentage points with two decimals at most, such as `0.5` and `-1.25`.
    private func points(_ difference: Double) -> String {
        let value = rounded(difference)
        let text = (try? Share(tenThousandths: min(abs(value), 10_000)).percentText) ?? "0"
        return value < 0 ? "-\(text)" : text
    }
}
