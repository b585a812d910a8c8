import ArgumentParser
import PackFormat
import PackRegistryAPI

/// `packtool rollout`: changes who gets a release.
struct RolloutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout", abstract: "Change the share of devices that get a release.",
        discussion: """
            Without a version: the newest release of the channel, unless that is what a
            rollback to the embedded version or a withdrawal left there.

            A larger share adds devices; who is in stays in. A smaller one moves devices
            back to the release below it, with their next check: the command asks first,
            or takes --yes.
            """)

    @Argument(help: "The package, and the version if it is not the newest.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("The share of devices, 0 to 100; a smaller one moves devices back.", valueName: "P"))
    var percent: Int?

    @Flag(help: "Let devices on which the release failed try it once more.")
    var retry = false

    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (percent != nil) != retry else { throw ValidationError("give either --percent P or --retry") }
        guard (0...100).contains(percent ?? 0) else { throw ValidationError("--percent is a number from 0 to 100") }
    }

    func run() async throws {
        let session = try RegistrySession(registry, console: options.console)
        let overview = try await session.registry.overview()
        let releases = overview.channels[channel]?[package.package] ?? []
        let index = releases.firstIndex { package.version == nil || $0.version == package.version }
        // What names no version is refused by the registry, and needs no consent.
        if let percent, let index, let version = releases[index].version, percent < releases[index].rollout.percent {
            let below = releases.dropFirst(index + 1).first ?? overview.earlier[channel]?[package.package]
            let (old, lost) = (releases[index].rollout.percent, releases[index].rollout.percent - percent)
            try consent.require(
                "\(channel) offers \(package.package) \(version) to \(old) % of the devices. With \(percent) %, "
                    + "\(lost) % of all devices leave it with their next check, and go back to \(ReleaseText.fallback(below)).",
                options)
        }
        let change: ChannelChange =
            try percent.map { .percent(try Rollout(percent: $0), of: package.version) } ?? .retry(of: package.version)
        try await ReleaseText.change(
            change, of: package.package, on: channel, before: releases, session, options)
    }
}
