import ArgumentParser
import PackFormat
import PackRegistryAPI

/// How `publish` and `promote` offer a version.
struct OfferOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The share of devices, 0 to 100.", valueName: "PERCENT"))
    var rollout: Int?

    @Flag(help: "Offer the version also where the channel was rolled back from it.")
    var again = false

    @OptionGroup var consent: ConsentOption

    func validate() throws {
        guard (0...100).contains(rollout ?? 0) else { throw ValidationError("--rollout is a number from 0 to 100") }
    }

    func share() throws -> Rollout? { try rollout.map { try Rollout(percent: $0) } }

    /// - Parameter isOlder: somebody said yes to taking devices back.
    func consent(isOlder: Bool) -> OfferConsent {
        var given: OfferConsent = again ? [.again] : []
        if isOlder { given.insert(.older) }
        return given
    }
}
