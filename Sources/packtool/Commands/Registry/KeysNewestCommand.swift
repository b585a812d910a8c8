import ArgumentParser
import PackFormat
import PackJSON
import PackPublisher

/// `packtool keys newest`.
struct KeysNewestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "newest",
        abstract: "Let no older state of a package count on any device. Needs the owner's key.",
        discussion: HelpText.flowing(
            """
            After a withdrawal by somebody without the owner's key. Who stole the registry's
            online key could otherwise show the state before it to a device that has never
            seen a newer one. packtool withdraw does it by itself where the owner's key is.
            """))

    @Argument(help: "The package.")
    var package: PackageID

    @Option(
        help: ArgumentHelp(
            "Write a proposal for several owners to sign, and change nothing yet (see packtool keys propose).",
            valueName: "FILE"))
    var out: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let maintenance = try await session.maintenance(console: options.console)
        if let out {
            try ProposalFile.write(try await maintenance.proposeNewest(of: package), to: out)
            options.console.result(out, json: .object(["files": [.string(out)]]))
            return
        }
        let owner = try session.keys.signingKeys().owner
        let (version, isNew) = try await maintenance.requireNewest(of: package, owner: owner)
        options.console.result(
            "of \(package) only version \(version) of its metadata and later ones count",
            json: .object([
                "package": .string(package.text), "minimum": .integer(version), "changed": .bool(isNew),
            ]))
        if !isNew {
            options.console.note("nothing to do: that was so before")
            throw ExitCode.nothingToDo
        }
    }
}
