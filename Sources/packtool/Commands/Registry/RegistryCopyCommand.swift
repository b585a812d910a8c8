import ArgumentParser
import Foundation
import PackJSON
import PackRegistryLocal
import PackRegistryPostgres

/// `packtool registry copy`: a registry at another place, such as one in a folder in PostgreSQL and a bucket.
struct RegistryCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a registry to another place: a folder, or a database with a folder or a bucket.",
        discussion: HelpText.flowing(
            """
            The registry that is copied is the one of --registry, --files and --storage. It stays as it is. Stop its servers before, and let \
            nobody change it: two registries that both go on confuse devices. Signed metadata keeps its versions, so devices that \
            find the copy at the same URL notice nothing.

            A copy that was interrupted is completed by the same command. Each file of a version is compared with its digest. Reports \
            of devices are not copied.
            """))

    @Argument(help: ArgumentHelp("The new place: a folder, or postgres://HOST/DATABASE.", valueName: "TO"))
    var to: String

    @Option(
        name: .customLong("to-files"),
        help: ArgumentHelp("The folder for the new registry's files, or for copies of them.", valueName: "DIR"))
    var toFiles: String?

    @Option(
        name: .customLong("to-storage"),
        help: ArgumentHelp("The bucket for the new registry's files, s3://BUCKET/PREFIX.", valueName: "URL"))
    var toStorage: String?

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try registry.authorities.trust()
        if PostgresAddress.isOne(to), try PostgresAddress(to).hasSecret {
            throw CommandFailure(
                "\(try PostgresAddress(to)) has a password in it, which others can read: take it out, and give it in PGPASSWORD, in "
                    + "the file that PGPASSFILE names, or in ~/.pgpass")
        }
        if PostgresAddress.isOne(to), toFiles == nil {
            throw CommandFailure(
                toStorage == nil
                    ? "\(to) has the rows of a registry; its files need a folder, or a bucket and a folder for copies: give them with "
                        + "--to-files DIR, and --to-storage s3://BUCKET/PREFIX"
                    : "the new registry needs a folder for its online key and for copies of the bucket's files: give it with --to-files"
            )
        }
        let parts = RegistryLocation.Parts(files: toFiles, storage: toStorage)
        let location = try RegistryLocation(to, parts, relativeTo: URL.currentDirectory())
        guard let place = try await RegistryPlace(location, isNew: true) else {
            throw CommandFailure(
                "\(location) is a server: give the folder or the database that the registry is to be in")
        }
        let session = try await RegistrySession(registry, console: options.console)
        guard let local = session.local else {
            throw CommandFailure(
                "a registry is copied where its files are: give its folder or database with --registry")
        }
        let line = ProgressLine(options.console)
        let outcome: RegistryCopy.Outcome
        do {
            outcome = try await RegistryCopy(of: local).run(
                to: RegistryCopy.Place(folder: place.folder, rows: place.rows, storage: place.storage)
            ) { done, all in line.show("copying files: \(done) of \(all)") }
            line.clear()
        } catch {
            line.clear()
            throw error
        }
        options.console.result(
            "copied \(session.location) to \(location): \(outcome.copiedCount) files with \(outcome.byteCount) bytes, "
                + "\(outcome.keptCount) were there",
            json: .object([
                "from": .string("\(session.location)"), "to": .string("\(location)"),
                "files": .integer(outcome.copiedCount), "bytes": .integer(outcome.byteCount),
                "kept": .integer(outcome.keptCount),
            ]))
        options.console.note(
            "\(session.location) is as it was, and commands that are not told otherwise still go there: name the new one in "
                + "packtool.json (\"registry\") or PACKTOOL_REGISTRY, and move the old one away, so that nobody changes it"
        )
    }
}
