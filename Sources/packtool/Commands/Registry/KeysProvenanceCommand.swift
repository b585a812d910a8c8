import ArgumentParser
import PackJSON
import PackPublisher

/// `packtool keys provenance`.
struct KeysProvenanceCommand: AsyncParsableCommand {
    enum Need: String, CaseIterable, ExpressibleByArgument {
        case required, optional
    }

    static let configuration = CommandConfiguration(
        commandName: "provenance",
        abstract: "Say whether new versions need a signed statement of how they were built. Needs the owner's key.",
        discussion: HelpText.flowing(
            """
            The registry then refuses a version that is published without --provenance, from everybody. The owner signs it, so a thief \
            of the registry's own keys or of an admin token cannot take it back.
            """))

    @Argument(help: "required, or optional.")
    var need: Need

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let owner = try session.keys.signingKeys().owner
        let isChanged = try await session.maintenance(console: options.console)
            .requireProvenance(need == .required, owner: owner)
        options.console.result(
            "the provenance of new versions is \(need.rawValue)",
            json: .object(["provenance": .string(need.rawValue), "changed": .bool(isChanged)]))
        if !isChanged {
            options.console.note("nothing to do: that was so before")
            throw ExitCode.nothingToDo
        }
    }
}
