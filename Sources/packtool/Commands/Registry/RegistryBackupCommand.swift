import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistryLocal

/// `packtool registry backup`: what cannot be made again, in another folder.
struct RegistryBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up a registry in a folder, while it is used.",
        discussion: HelpText.flowing(
            """
            Copies the database, the registry's key and the files of all versions. Each backup is a folder named by its time; files \
            are there once for all backups, so a later backup copies only what is new. Each file is compared with its digest. It may run \
            beside servers and in a cron job. A backup that is interrupted leaves the earlier ones as they were.

            The folder has the registry's key: keep it as secret as the registry. The owner's keys (.packtool/keys) are not in it. \
            Reports of devices are not in it either. packtool registry restore brings a registry back.
            """))

    @Argument(help: ArgumentHelp("The folder for backups, best on another disk.", valueName: "TO"))
    var to: String

    @Option(help: ArgumentHelp("How many backups stay; older ones are removed.", valueName: "COUNT"))
    var keep = 7

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard keep >= 1 else { throw ValidationError("--keep must be at least 1: the backup that is made stays") }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        guard let local = session.local else {
            throw CommandFailure("a registry is backed up where its files are: give its folder with --registry")
        }
        let folder = URL(filePath: to, directoryHint: .isDirectory, relativeTo: URL.currentDirectory()).absoluteURL
        let line = ProgressLine(options.console)
        defer { line.clear() }
        let outcome = try await RegistryBackup(of: local).run(to: folder, keeping: keep) { done, all in
            line.show("copying files: \(done) of \(all)")
        }
        line.clear()
        let backup = outcome.backup
        var lines = [
            "backed up to \(folder.appending(path: backup.name).path(percentEncoded: false)): \(CountText.text(backup.versionCount, "version")), "
                + "\(CountText.text(backup.objectCount, "file")) with \(ByteCount.text(backup.byteCount)); \(outcome.copiedCount) new "
                + "(\(ByteCount.text(outcome.copiedByteCount)))"
        ]
        if !outcome.removed.isEmpty {
            lines.append("removed older backups: \(outcome.removed.map(\.name).joined(separator: ", "))")
        }
        options.console.result(
            lines.joined(separator: "\n"),
            json: .object([
                "backup": .string(backup.name), "versions": .integer(backup.versionCount),
                "files": .integer(backup.objectCount), "bytes": .integer(backup.byteCount),
                "copied": .integer(outcome.copiedCount), "copiedBytes": .integer(outcome.copiedByteCount),
                "removed": .array(outcome.removed.map { .string($0.name) }),
            ]))
    }
}
