import ArgumentParser

/// `packtool rollout`: who gets a release, at once or by a plan.
struct RolloutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout",
        abstract: "Change which devices get a release, at once or by a plan.",
        discussion: HelpText.flowing(
            """
            packtool rollout PACKAGE --channel NAME --percent P changes a share now.
            packtool rollout PACKAGE --channel NAME --plan FILE lets it grow over time.

            docs/ROLLOUTS.md has recipes.
            """),
        subcommands: [
            RolloutSetCommand.self, RolloutStartCommand.self, RolloutPauseCommand.self, RolloutResumeCommand.self,
            RolloutAdvanceCommand.self, RolloutHaltCommand.self, RolloutCompleteCommand.self,
            RolloutRollbackCommand.self, RolloutRetryCommand.self, RolloutStatusCommand.self, RolloutRunCommand.self,
        ], defaultSubcommand: RolloutSetCommand.self)
}
