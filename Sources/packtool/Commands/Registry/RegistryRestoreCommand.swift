import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistryLocal

/// `packtool registry restore`: a registry as it was when it was backed up.
struct RegistryRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a registry back from a backup, into a folder without one.",
        discussion: HelpText.flowing(
            """
            The new registry is in the folder of --registry. Each file is compared with its digest, and downloads and patches are made \
            anew, which may take as long as making them took. A restore that was interrupted is \
            completed by the same command. With --dry-run the whole backup is read, which says whether it is sound.

            Devices and publishers that have seen something newer refuse the restored registry, as they would refuse an attacker: then \
            run packtool keys rotate online --restored.
            """))

    @Argument(help: ArgumentHelp("The folder that packtool registry backup wrote.", valueName: "FROM"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "The backup, by its name such as 2026-11-27T01-30-00Z; without it the newest.", valueName: "NAME"))
    var at: String?

    @Flag(help: "Restore without files that the backup does not have.")
    var partial = false

    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let location = try registry.location(of: CurrentProject())
        guard case .folder(let folder, storage: nil) = location else {
            throw CommandFailure(
                "a backup is restored to a folder on this machine: give it with --registry; packtool registry copy takes the registry "
                    + "from there to a database or a bucket")
        }
        let source = URL(filePath: from, directoryHint: .isDirectory, relativeTo: URL.currentDirectory()).absoluteURL
        let restore = try RegistryRestore(from: source, named: at)
        guard !dryRun.isDryRun else { return try await check(restore) }
        let line = ProgressLine(options.console)
        defer { line.clear() }
        let outcome = try await restore.run(
            to: folder, isPartial: partial, report: { done, all in line.show("copying files: \(done) of \(all)") })
        line.clear()
        options.console.result(
            """
            restored \(location) as it was at \(restore.backup.name): app \(restore.backup.app), \(CountText.text(restore.backup.versionCount, "version")), \
            \(CountText.text(outcome.copiedCount + outcome.keptCount, "file"))\(outcome.lost.isEmpty ? "" : ", \(outcome.lost.count) lost")
            """, json: .object(json(restore, outcome.lost)))
        if !outcome.lost.isEmpty {
            options.console.note("publish the versions with lost files again: packtool registry check lists them")
        }
        options.console.note(
            "if something was published or released after this backup, devices refuse it until you run packtool keys rotate online "
                + "--restored")
        // What is made of versions is in no backup. It can take long, and nothing waits for it.
        options.console.note(
            "Making patches and downloads again; Ctrl-C is safe, the next command or a server goes on with them")
        do {
            try await RegistryPlace(location)?.open().maintain { made, all in
                line.show("making patches and downloads: \(made) of \(all)")
            }
        } catch {
            line.clear()
            options.console.note("warning: \(error)")
        }
    }

    private func check(_ restore: RegistryRestore) async throws {
        let lost = try await restore.check()
        let backup = restore.backup
        options.console.result(
            "the backup \(backup.name) of the app \(backup.app) has \(CountText.text(backup.versionCount, "version")) and "
                + "\(CountText.text(backup.objectCount, "file")) with "
                + "\(ByteCount.text(backup.byteCount)): "
                + (lost.isEmpty ? "all sound" : "\(lost.count) missing or damaged"),
            json: .object(json(restore, lost)))
        guard lost.isEmpty else {
            throw CommandFailure(
                "\(CountText.text(lost.count, "file of the backup is", plural: "files of the backup are")) missing or damaged, such as "
                    + "\(lost[0])")
        }
    }

    private func json(_ restore: RegistryRestore, _ lost: [ViewPath]) -> JSONObject {
        [
            "backup": .string(restore.backup.name), "app": .string(restore.backup.app),
            "versions": .integer(restore.backup.versionCount), "files": .integer(restore.backup.objectCount),
            "lost": .array(lost.map { .string("\($0)") }), "dryRun": .bool(dryRun.isDryRun),
        ]
    }
}
