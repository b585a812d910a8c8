import ArgumentParser

/// `packtool client`: lets a kiosk, a CI job or a test act as a device. Each verb calls the library that apps link.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Be a device: update, start, confirm, go back, serve.",
        subcommands: [
            ClientUpdateCommand.self, ClientStartCommand.self, ClientConfirmCommand.self, ClientRollbackCommand.self,
            ClientStatusCommand.self, ClientExplainCommand.self, ClientRepairCommand.self, ClientCollectCommand.self,
            ClientInstallCommand.self, ClientServeCommand.self, ClientReportsCommand.self,
        ])
}
