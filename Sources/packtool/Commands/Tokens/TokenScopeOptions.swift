import ArgumentParser
import PackFormat
import PackRegistryAPI

/// What a token may do.
struct TokenScopeOptions: ParsableArguments {
    @Flag(help: "May publish versions.")
    var publish = false

    @Flag(help: "May change what channels offer.")
    var release = false

    @Flag(help: "May read what devices reported.")
    var observe = false

    @Flag(help: "May do everything, tokens and keys included.")
    var admin = false

    @Option(help: ArgumentHelp("Only this package; may be given several times.", valueName: "ID"))
    var package: [PackageID] = []

    @Option(help: ArgumentHelp("Only this channel; may be given several times.", valueName: "NAME"))
    var channel: [ChannelName] = []

    /// Without an action: publish and release.
    var scope: TokenScope {
        var actions: Set<TokenAction> = []
        if publish { actions.insert(.publish) }
        if release { actions.insert(.release) }
        if observe { actions.insert(.observe) }
        if admin { actions.insert(.admin) }
        return TokenScope(
            actions: actions.isEmpty ? [.publish, .release] : actions, packages: package.isEmpty ? nil : Set(package),
            channels: channel.isEmpty ? nil : Set(channel))
    }

    /// Names that the registry does not have are mostly misspelt ones, and such a token fails only when it is used.
    func noteUnknownNames(_ session: RegistrySession, _ console: Console) async {
        guard !package.isEmpty || !channel.isEmpty,
            // The token is made: that this cannot be looked up is no failure of the command.
            let overview = try? await session.registry.overview(of: nil)
        else { return }
        for note in channel.compactMap({ NameCheck.unusedChannelNote($0, in: overview) })
            + package.compactMap({ NameCheck.unusedPackageNote($0, in: overview) })
        {
            console.note(note)
        }
    }
}
