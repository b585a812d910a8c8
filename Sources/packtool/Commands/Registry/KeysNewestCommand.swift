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
            Run this after somebody without the owner's key has withdrawn a version. Otherwise a thief of the
            registry's online key could show the older state to a device that has never seen a newer one.
            packtool withdraw does this by itself if the owner's key is available.
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
