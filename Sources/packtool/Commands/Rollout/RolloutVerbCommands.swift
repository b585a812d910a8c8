import ArgumentParser
import PackRegistryAPI

/// `packtool rollout start`.
struct RolloutStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Take the first step of a plan now, whatever its start and hours are.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.start) }
}

/// `packtool rollout pause`.
struct RolloutPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Take no further step until resume; devices keep what they have.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.pause) }
}

/// `packtool rollout resume`.
struct RolloutResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Go on with a paused or halted plan.",
        discussion: "The time for which it was stopped does not count for the step that it was at.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.resume) }
}

/// `packtool rollout advance`.
struct RolloutAdvanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance", abstract: "Take a plan's next step now, whatever its times, hours and cap are.",
        discussion: "With --step it can be repeated: a step that was taken is not taken once more.")

    @Option(help: ArgumentHelp("Which step, from 1.", valueName: "NUMBER"))
    var step: Int?

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.advance(to: step)) }
}

/// `packtool rollout halt`.
struct RolloutHaltCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "halt", abstract: "Stop a rollout that is not well; who is in its share keeps the release.",
        discussion: HelpText.flowing(
            """
            No further device gets into the share. Devices that are in it and have not
            checked yet still get the release: packtool rollout rollback takes it back.
            """))

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.halt) }
}

/// `packtool rollout complete`.
struct RolloutCompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Give the release to every device now.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.complete) }
}

/// `packtool rollout rollback`.
struct RolloutRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Take the release back from the devices that have it, and end its plan.",
        discussion: HelpText.flowing(
            """
            Devices go to the release before it that everybody had, or to what the app
            embeds. packtool rollback --to goes back to another version.
            """))

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.rollBack) }
}

/// `packtool rollout retry`.
struct RolloutRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let devices on which the release failed try it once more.")

    @OptionGroup var verb: RolloutVerbOptions

    func run() async throws { try await verb.run(.retry()) }
}
