import ArgumentParser
import PackRegistryAPI

/// `--despite-state`, for changes that lead devices to another version.
struct StateOption: ParsableArguments {
    @Flag(
        name: .customLong("despite-state"),
        help: "Also if devices may have stored data that the version cannot read (\"state\" in packtool.json).")
    var despiteState = false

    var consent: OfferConsent { despiteState ? [.state] : [] }

    /// The change, with the consent if it was given.
    func accepting(_ change: ChannelChange) -> ChannelChange { despiteState ? .accepting(.state, change) : change }
}
