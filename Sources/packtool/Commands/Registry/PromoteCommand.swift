import ArgumentParser
import PackFormat
import PackRegistry

/// `packtool promote`: offers on one channel what another one offers.
struct PromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote", abstract: "Offer a version of one channel on another.",
        discussion: """
            Without a version: the one that the first channel offers to all devices. Where
            a newer one is offered there to some, say which of the two is meant.

            Without --rollout all devices of the second channel get it at once: where that
            offers the package already, the command asks first, or takes --yes.
            """)

    @Argument(help: "The package, and the version if it is not the newest.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("The channel that offers it.", valueName: "NAME"))
    var from: ChannelName

    @Option(help: ArgumentHelp("The channel that shall offer it.", valueName: "NAME"))
    var to: ChannelName

    @Option(help: ArgumentHelp("The share of devices, 0 to 100 (default: all).", valueName: "PERCENT"))
    var rollout: Int?

    @Flag(help: "Offer the version also where the channel was rolled back from it.")
    var again = false

    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (0...100).contains(rollout ?? 0) else { throw ValidationError("--rollout is a number from 0 to 100") }
    }

    func run() async throws {
        let session = try RegistrySession(registry, console: options.console)
        let channels = try await session.registry.overview().channels
        let source = channels[from]?[package.package] ?? []
        let present = channels[to]?[package.package] ?? []
        // A choice that the registry refuses needs no consent.
        let isClear = package.version != nil || source.first?.rollout == .everyone
        if rollout == nil, isClear, let version = package.version ?? source.first?.version, let newest = present.first,
            newest.version != version || newest.rollout != .everyone
        {
            try consent.require(
                "\(to) offers \(package.package) \(ReleaseText.text(present)). Promoting \(version) replaces that on 100 % of "
                    + "the devices at once; for a share of them: --rollout PERCENT.", options)
        }
        try await ReleaseText.change(
            .promote(
                package.version, from: from, try rollout.map { try Rollout(percent: $0) } ?? .everyone, again: again),
            of: package.package, on: to, before: present, session, options)
    }
}
