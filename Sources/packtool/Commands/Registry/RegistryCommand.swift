import ArgumentParser

/// `packtool registry`: looks after a registry's own files.
struct RegistryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registry", abstract: "Look after a registry's files.",
        subcommands: [
            RegistryBackupCommand.self, RegistryCheckCommand.self, RegistryCopyCommand.self, RegistryPruneCommand.self,
            RegistryRestoreCommand.self,
        ])
}
