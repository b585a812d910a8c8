import ArgumentParser
import PackRegistryAPI

/// `packtool rollout start`.
struct RolloutStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Take the first step of a plan now, regardless of its start and hours.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.start) }
}

/// `packtool rollout pause`.
struct RolloutPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a plan until resume; devices keep their versions.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.pause) }
}

/// `packtool rollout resume`.
struct RolloutResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Continue a paused or halted plan.",
        discussion: "The time of the pause does not count for the current step.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.resume) }
}

/// `packtool rollout advance`.
struct RolloutAdvanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Take a plan's next step now, regardless of its times, hours and cap.",
        discussion: "With --step the command can be repeated: each step is taken once.")

    @Option(help: ArgumentHelp("Which step, from 1.", valueName: "NUMBER"))
    var step: Int?

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.advance(to: step)) }
}

/// `packtool rollout halt`.
struct RolloutHaltCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halt", abstract: "Stop a rollout with problems; devices in its share keep the release.",
        discussion: HelpText.flowing(
            """
            No further device is added to the share. Devices in the share that have not
            checked yet still get the release: packtool rollout rollback takes it back.
            """))

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.halt) }
}

/// `packtool rollout complete`.
struct RolloutCompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Offer the release to all devices now.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.complete) }
}

/// `packtool rollout rollback`.
struct RolloutRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Take the release back from the devices that have it, and end its plan.",
        discussion: HelpText.flowing(
            """
            Devices go back to the previous release for all devices, or to what the app
            embeds. packtool rollback --to goes back to another version.
            """))

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.rollBack) }
}

/// `packtool rollout retry`.
struct RolloutRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let devices on which the release failed try it again.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.retry()) }
}
