import ArgumentParser
import PackFormat
import PackJSON
import PackPublisher
import PackRegistryAPI

/// `packtool withdraw`: withdraws a published version for good.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Take a published version back, for every device and for good.",
        discussion: HelpText.flowing(
            """
            The publisher's key signs the package without the version, so that no device installs the version
            again, whatever a channel offers. Its number cannot be used again. The command lists the channels
            that offer it and where their devices go, and asks unless you pass --yes.
            --dry-run shows the same, and signs and changes nothing.
            """))

    @Argument(help: "The package and the version.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("Why, for the registry's log.", valueName: "TEXT"))
    var reason: String

    @OptionGroup var state: StateOption
    @OptionGroup var consent: ConsentOption
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        _ = try package.requiredVersion()
    }

    func run() async throws {
        let version = try package.requiredVersion()
        let session = try await RegistrySession(registry, console: options.console)
        let overview = try await session.registry.overview()
        let published = overview.versions[package.package] ?? []
        guard let entry = published.first(where: { $0.version == version }) else {
            let names = published.map(\.version.description).joined(separator: ", ")
            throw CommandFailure(
                "\(package.package) \(version) is not published (there is: \(names.isEmpty ? "no version of it" : names))",
                kind: "notFound")
        }
        if dryRun.isDryRun { return try await preview(version, session) }
        if entry.withdrawn == nil {
            let lines = consequences(of: version, in: overview)
            try consent.require(
                (["Withdrawing \(package.package) \(version) is for good: no device installs it again."] + lines)
                    .joined(separator: "\n"), options)
        }
        let publisher = try await session.publisher(console: options.console)
        try await publisher.withdraw(version, of: package.package, reason: reason, consent: state.consent)
        let minimum = await requireNewest(session)
        options.console.result(
            "withdrew  \(package.package) \(version)",
            json: .object([
                "package": .string(package.package.text), "version": .string(version.description),
                "reason": .string(reason), "minimum": minimum.map { .integer($0) } ?? .null,
            ]))
    }

    private func preview(_ version: SemanticVersion, _ session: RegistrySession) async throws {
        let channels = try await session.registry.previewWithdrawal(
            of: version, of: package.package, reason: reason)
        try await session.publisher(console: options.console, isDryRun: true)
            .requireWithdrawable(version, of: package.package)
        let ordered = channels.sorted { $0.key < $1.key }
        let lines = ordered.isEmpty ? ["No channel offers it."] : ordered.map(\.value.effect)
        options.console.result(
            (["\(package.package) \(version) would be withdrawn for good: no device installs it again."] + lines)
                .joined(separator: "\n"),
            json: .object([
                "package": .string(package.package.text), "version": .string(version.description),
                "reason": .string(reason), "dryRun": true,
                "channels": .array(ordered.map { .object(ReleaseText.json(package.package, $0.key, $0.value)) }),
            ]))
    }

    /// The withdrawal holds for who has seen it. For devices that have seen nothing yet the owner signs it too; where
    /// that cannot be now, it is said what remains.
    private func requireNewest(_ session: RegistrySession) async -> Int? {
        var why = "the owner's key is not here"
        do {
            let owner = try session.keys.signingKeys().owner
            if !owner.isEmpty {
                return try await session.maintenance(console: options.console).requireNewest(
                    of: package.package, owner: owner
                ).version
            }
        } catch {
            why = "the owner's key could not sign it: \(error)"
        }
        options.console.note(
            """
            It holds for every device that has seen the withdrawal. One that has seen nothing of \(package.package) yet
            could still be shown the version by somebody who stole the registry's online key: \(why).
            The app's owner ends that with:  packtool keys newest \(package.package)
            """)
        return nil
    }

    /// A line for each channel that offers the version: its share, and where the devices go.
    private func consequences(of version: SemanticVersion, in overview: RegistryOverview) -> [String] {
        let lines = overview.channels.sorted { $0.key < $1.key }.compactMap { channel, packages -> String? in
            let releases = packages[package.package] ?? []
            guard let index = releases.firstIndex(where: { $0.version == version }) else { return nil }
            let left = releases.dropFirst(index + 1).first { $0.version != version }
            let earlier = overview.earlier[channel]?[package.package]
            return "  \(channel) offers it to \(releases[index].rollout.devicesText); they "
                + ReleaseText.fallback(left ?? earlier)
                + (ReleaseText.companions(of: releases[index], package.package, among: packages).map {
                    "; its set is taken back there too: \($0)"
                } ?? "")
        }
        return lines.isEmpty ? ["  No channel offers it."] : lines
    }
}
