import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool changes`: what is proposed, and who approves it.
struct ChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Show, approve and reject changes that were proposed.",
        discussion: HelpText.flowing(
            """
            packtool channel stable --approvals 1     (once, with the right admin)
            packtool publish shop.zip --channel stable --propose
            packtool changes
            packtool changes approve 17               (somebody else)

            A change is proposed with --propose, or with --at TIME for a later time.
            docs/ROLLOUTS.md says what needs approval.
            """),
        subcommands: [
            ChangesListCommand.self, ChangesShowCommand.self, ChangesApproveCommand.self, ChangesRejectCommand.self,
        ], defaultSubcommand: ChangesListCommand.self)
}

/// `packtool changes list`, and `packtool changes` without another word.
struct ChangesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the open changes, newest first.")

    @Flag(help: "Also those that were made, rejected or expired: the newest 200.")
    var all = false

    @Option(help: ArgumentHelp("One channel only.", valueName: "NAME"))
    var channel: ChannelName?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let found = try await session.registry.changes(all ? .newest : .open)
        let shown = ProposedChanges(
            changes: found.changes.filter { channel == nil || $0.proposal.channel == channel },
            required: found.required.filter { channel == nil || $0.key == channel })
        let required = shown.required.sorted { $0.key < $1.key }.map {
            ApprovalWords.required($0.value, on: $0.key)
        }
        let text = shown.changes.map(ChangeText.text).joined(separator: "\n\n")
        let none = "no change is \(all ? "known" : "open")\(channel.map { " on \($0)" } ?? "")"
        options.console.result(
            (required + (required.isEmpty ? [] : [""]) + [text.isEmpty ? none : text]).joined(separator: "\n"),
            json: .object(shown.json))
    }
}

/// `packtool changes show`.
struct ChangesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one change.")

    @Argument(help: "The number of the change.")
    var id: Int

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let change = try await session.registry.changes(.one(id)).changes.first else {
            throw CommandFailure("there is no change \(id)", kind: "notFound")
        }
        options.console.result(ChangeText.text(change), json: .object(change.json))
    }
}

/// `packtool changes approve`.
struct ChangesApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Approve a change that somebody else proposed.",
        discussion: HelpText.flowing(
            """
            It takes the right that the change itself takes. The last approval that is needed
            makes the change at once, or lets it be made at its time. If the channel has
            changed so that the change would not do what was proposed, it is not made.
            """))

    @Argument(help: "The number of the change.")
    var id: Int

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        try await ChangeText.show(session.registry.vote(.approve, on: id), session, options)
    }
}

/// `packtool changes reject`.
struct ChangesRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Reject a change, or take back one's own.",
        discussion: "One rejection ends it, also if it is approved and waits for its time.")

    @Argument(help: "The number of the change.")
    var id: Int

    @Option(help: ArgumentHelp("Why, for the proposer and for the log.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        try await ChangeText.show(session.registry.vote(.reject(reason: reason ?? ""), on: id), session, options)
    }
}
