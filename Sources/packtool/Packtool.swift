import ArgumentParser
import CBuildStamp
import PackFormat

/// `packtool`: the command line over the libraries. Each command is one file and has no logic of its own.
@main
struct Packtool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "packtool",
        abstract: "Build, publish, roll out and serve web pages inside apps.",
        version: ProductVersion.stamp(
            commit: String(cString: packtool_build_commit()), date: String(cString: packtool_build_date())),
        subcommands: [
            InitCommand.self,
            BuildCommand.self,
            InspectCommand.self,
            VerifyCommand.self,
            DiffCommand.self,
            PublishCommand.self,
            ImportCommand.self,
            PresetCommand.self,
            ReleaseCommand.self,
            PromoteCommand.self,
            RolloutCommand.self,
            RollbackCommand.self,
            WithdrawCommand.self,
            ChangesCommand.self,
            ExplainCommand.self,
            SimulateCommand.self,
            GateCommand.self,
            RulesCommand.self,
            ChannelCommand.self,
            GroupCommand.self,
            StatusCommand.self,
            StatsCommand.self,
            DeviceCommand.self,
            ReportsCommand.self,
            RenewCommand.self,
            PatchesCommand.self,
            RegistryCommand.self,
            ServeCommand.self,
            TokenCommand.self,
            WebhookCommand.self,
            KeysCommand.self,
            AuditCommand.self,
            DoctorCommand.self,
            ClientCommand.self,
            PreviewCommand.self,
            MakeArtifactsCommand.self,
        ])

    static func main() async {
        await CommandRunner.run(Packtool.self)
    }
}
