import ArgumentParser

/// `packtool keys`: manages who may sign what.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make, show, replace and revoke keys, and delegate packages to them.",
        subcommands: [
            KeysGenerateCommand.self, KeysListCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self,
            KeysNewestCommand.self, KeysProvenanceCommand.self, KeysDelegateCommand.self, KeysProposeCommand.self,
            KeysSignCommand.self,
            KeysVerifyCommand.self,
            KeysSubmitCommand.self,
        ])
}
