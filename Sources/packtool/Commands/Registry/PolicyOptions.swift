public import ArgumentParser
public import PackFormat

/// How devices are to take a release (docs/ROLLOUTS.md).
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When pages get it: now (the visible page is reloaded), nextPage or nextStart.", valueName: "WHEN"))
    var install: ClientPolicy.Install?

    @Option(help: ArgumentHelp("The network that a device waits for: any or unmetered.", valueName: "KIND"))
    var network: ClientPolicy.Network?

    @Option(
        help: ArgumentHelp(
            "The days and hours, on the device's clock, in which it installs it: \"mon-fri 22:00-05:00\", or any.",
            valueName: "HOURS"), transform: { try WindowArgument($0) })
    var window: WindowArgument?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Apps should not continue without it. Devices install it without waiting; a newer release is mandatory too for devices that skipped it.
            """)
    var mandatory: Bool?

    var isGiven: Bool { install != nil || network != nil || window != nil || mandatory != nil }

    /// - Parameter base: what holds where nothing was said.
    /// - Returns: nil where nothing was said at all.
    /// - Throws: `FormatError.invalidPolicy` for parts that do not go together.
    func policy(over base: ClientPolicy = .standard) throws -> ClientPolicy? {
        guard isGiven else { return nil }
        return try ClientPolicy(
            install: install ?? base.install, network: network ?? base.network,
            window: window.map(\.window) ?? base.window, isMandatory: mandatory ?? base.isMandatory)
    }
}

/// Hours, or `any` for none.
struct WindowArgument {
    let window: LocalWindow?

    init(_ text: String) throws {
        window = text == "any" ? nil : try LocalWindow(text)
    }
}

extension ClientPolicy.Install: ExpressibleByArgument {
    /// `next-page` is `nextPage`, as `client update --activate` has it.
    public init?(argument: String) {
        self.init(rawValue: argument == "next-page" ? "nextPage" : argument == "next-start" ? "nextStart" : argument)
    }
}

extension ClientPolicy.Network: ExpressibleByArgument {}
