import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryLocal

/// `packtool registry check`: whether everything that is signed is there and sound.
struct RegistryCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look whether every signed name leads to sound bytes; --repair mends what it can.",
        discussion: HelpText.flowing(
            """
            Reads every signed document and every file of all published versions, which takes as long as the disk needs. It \
            may run beside a server. Without --repair nothing that is found is changed. The exit code is 1 if something is wrong and \
            was not repaired.

            Lost or damaged files of versions are taken from the zips of published versions. What no zip has comes back if its \
            version is published again from the same files.
            """))

    @Flag(help: "Mend what is lost or damaged.")
    var repair = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let local = session.local else {
            throw CommandFailure("a registry is checked where its files are: give its folder with --registry")
        }
        let outcome = try await RegistryCheck(local).run(repairing: repair)
        let left = outcome.faults.count { !$0.isRepaired }
        var lines = outcome.faults.map { "\($0.isRepaired ? "repaired" : $0.kind.rawValue)  \($0.path)" }
        lines.append(
            "\(outcome.documentCount) documents, \(outcome.objectCount) files of versions with \(outcome.byteCount) bytes: "
                + (outcome.faults.isEmpty ? "all sound" : "\(outcome.faults.count) faults, \(left) left"))
        options.console.result(
            lines.joined(separator: "\n"),
            json: .object([
                "documents": .integer(outcome.documentCount), "objects": .integer(outcome.objectCount),
                "bytes": .integer(outcome.byteCount),
                "faults": .array(
                    outcome.faults.map {
                        .object([
                            "path": .string($0.path.description), "kind": .string($0.kind.rawValue),
                            "repaired": .bool($0.isRepaired),
                        ])
                    }),
            ]))
        guard left == 0 else {
            throw CommandFailure(
                repair
                    ? "\(left) files could not be repaired: publish their versions again from the same files"
                    : "\(left) files are missing or damaged: packtool registry check --repair mends what it can")
        }
    }
}
