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
        let overview = try await session.registry.overview(of: [package.package])
        let published = overview.versions[package.package] ?? []
        guard let entry = published.first(where: { $0.version == version }) else {
            let names = published.map(\.version.description).joined(separator: ", ")
            throw CommandFailure(
                "\(package.package) \(version) is not published (there is: \(names.isEmpty ? "no version of it" : names))",
                kind: "notFound")
        }
        do {
            if dryRun.isDryRun { return try await preview(version, session) }
            try await withdraw(version, entry, session)
        } catch let error as RegistryError where error.kind == .notFound {
            // What an interrupted command left half is withdrawn all the same.
            guard let reason = entry.withdrawn else { throw error }
            throw CommandFailure(
                "\(package.package) \(version) is withdrawn already (\(reason))", exitCode: .nothingToDo)
        }
    }

    private func withdraw(
        _ version: SemanticVersion, _ entry: RegistryOverview.Version, _ session: RegistrySession
    ) async throws {
        if entry.withdrawn == nil {
            let effects: String
            do { effects = lines(try await self.effects(version, session)) } catch is PreviewsUnknown {
                effects = "The registry is of an older packtool, and cannot say what its channels would offer then."
            }
            try consent.require(
                "Withdrawing \(package.package) \(version) is for good: no device installs it again.\n" + effects,
                options)
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
        let channels = try await effects(version, session)
        try await session.publisher(console: options.console, isDryRun: true)
            .requireWithdrawable(version, of: package.package)
        options.console.result(
            "\(package.package) \(version) would be withdrawn for good: no device installs it again.\n"
                + lines(channels),
            json: .object([
                "package": .string(package.package.text), "version": .string(version.description),
                "reason": .string(reason), "dryRun": true,
                "channels": .array(channels.map { .object(ReleaseText.json(package.package, $0.key, $0.value)) }),
            ]))
    }

    /// What each channel that offers the version would offer then, in the order of their names.
    private func effects(
        _ version: SemanticVersion, _ session: RegistrySession
    ) async throws -> [(key: ChannelName, value: ChannelOutcome)] {
        try await session.registry.previewWithdrawal(of: version, of: package.package, reason: reason)
            .sorted { $0.key < $1.key }
    }

    private func lines(_ channels: [(key: ChannelName, value: ChannelOutcome)]) -> String {
        channels.isEmpty ? "No channel offers it." : channels.map(\.value.effect).joined(separator: "\n")
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
}
