package import PackFormat

/// What a gate sees of a release, and what follows.
package struct GateReading: Hashable, Sendable {
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// The next step may be taken.
        case clear
        /// Too little is known, or it is not good enough.
        case waiting
        /// The release is surely too bad.
        case halting
    }

    /// Devices that reported about one version.
    package struct Sample: Hashable, Sendable {
        /// Devices on which it became active.
        package var active = 0
        package var confirmed = 0
        package var failed = 0
        /// Devices that said nothing for the gate's time.
        package var silent = 0
        /// Devices that still have time.
        package var waiting = 0

        package init() {}

        package var failures: Int { failed + silent }
    }

    package let verdict: Verdict
    /// The numbers and the reason, in words.
    package let text: String
    /// Of the release, as it was reported.
    package let release: Sample
    /// Of the version before; nil where the gate goes by its `expected` share.
    package let before: Sample?
    package let versionBefore: SemanticVersion?
    /// Between which bounds the difference of the shares of failures surely lies, for a halt and for the next step, in 1/10,000.
    package let leastDifference: Int
    package let mostDifference: Int
    /// Whether single networks sent so much that it does not count.
    package let isSuspicious: Bool

    package init(
        verdict: Verdict, text: String, release: Sample, before: Sample?, versionBefore: SemanticVersion?,
        leastDifference: Int, mostDifference: Int, isSuspicious: Bool
    ) {
        self.verdict = verdict
        self.text = text
        self.release = release
        self.before = before
        self.versionBefore = versionBefore
        self.leastDifference = leastDifference
        self.mostDifference = mostDifference
        self.isSuspicious = isSuspicious
    }
}
