import ArgumentParser
import PackFormat
import PackRegistryAPI

/// The options with which `publish` and `promote` offer a version.
struct OfferOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The share of devices, 0 to 100, such as 5 or 0.25.", valueName: "PERCENT"))
    var rollout: Share?

    @Option(
        help: ArgumentHelp(
            "Which devices: \"platform=ios; app>=3.2\"; given twice, one of the two (docs/ROLLOUTS.md).",
            valueName: "CONDITIONS"), transform: { try Audience($0) })
    var audience: [Audience] = []

    @OptionGroup var policy: PolicyOptions

    @Flag(help: "Offer the version also where the channel was rolled back from it.")
    var again = false

    @OptionGroup var state: StateOption
    @OptionGroup var consent: ConsentOption

    /// nil if nothing was said.
    var wanted: Rollout? {
        rollout == nil && audience.isEmpty ? nil : Rollout(share: rollout ?? .whole, audiences: audience)
    }

    /// - Parameter isOlder: somebody said yes to taking devices back.
    func consent(isOlder: Bool) -> OfferConsent {
        var given: OfferConsent = again ? [.again] : []
        if isOlder { given.insert(.older) }
        return given.union(state.consent)
    }
}
