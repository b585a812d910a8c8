import ArgumentParser
import Foundation
import PackArchive
import PackBuilder
import PackFormat
import PackImporter
import PackPublisher
import PackRegistry
import PackRegistryAPI
import PackRegistryLocal

/// `packtool import`: brings the versions and channels of another system into the registry.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the versions and channels of Capgo or CodePush.",
        discussion: HelpText.flowing(
            """
            FOLDER has the zips that the other system gave its devices, and its lists beside them (docs/MIGRATING.md):

              codepush   Production.json, Staging.json: the saved history of each deployment; zips like Production/v12.zip
              capgo      bundles.json and channels.json, as the API answers; zips like 1.2.3.zip
              zips       no lists; zips like 1.2.3.zip, or stable/1.2.3.zip for a channel

            A list that you write counts in place of the others: import.csv or import.json with the columns file,
            version, channel, created, note, app, percent, mandatory and disabled. Without a list the names of
            the zips say their versions, and the folders their channels.

            All versions are published in the order of their times, then each channel is offered what it was
            offered, the newest last. A channel or deployment keeps its name in lower case, or gets the one that
            --map says. What the other system had disabled is published and not offered.

            Everything is judged before the first change: lists, zips, versions, channels, rights. --dry-run prints
            the plan and changes nothing. You can repeat the command after an interruption, or with a newer export:
            versions that are there with the same content are not changed, and channels go on from what they offer.
            A channel that offers something else by now, or was rolled back, is left as it is.

            packtool import export --from codepush --map Production=stable --dry-run
            """))

    @Argument(help: ArgumentHelp("The folder of the export.", valueName: "FOLDER"), completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("Where the export is from: capgo, codepush or zips.", valueName: "SYSTEM"))
    var from: ExportSystem

    @Option(help: ArgumentHelp("The package that the versions are of (default: the configuration's).", valueName: "ID"))
    var package: PackageID?

    @Option(
        help: ArgumentHelp("The channel of versions of which the export names none (default: none).", valueName: "NAME")
    )
    var channel: ChannelName?

    @Option(
        help: ArgumentHelp(
            "The channel that a channel or deployment becomes; may be given several times.", valueName: "NAME=CHANNEL"))
    var map: [ChannelMapping] = []

    @Flag(help: "Leave out versions whose zip is not in the folder.")
    var skipMissing = false

    @Flag(help: "Make the channels that the registry does not have.")
    var newChannel = false

    @Flag(name: .customLong("no-wait"), help: "Do not wait until patches are made.")
    var noWait = false

    @OptionGroup var consent: ConsentOption
    @OptionGroup var dryRun: DryRunOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard Set(map.map(\.name)).count == map.count else { throw ValidationError("a name is mapped twice") }
    }

    func run() async throws {
        let console = options.console
        let session = try await RegistrySession(registry, console: console)
        // What is published would not be shown.
        if session.local?.isBehind == true { throw ViewWriter.behind }
        let plan = try plan(session.configuration)
        try await requireChannels(plan, session)
        let work = try WorkFolder()
        let packages = try build(plan, session.configuration, in: work.url)
        let publisher = try await session.publisher(console: console, isDryRun: dryRun.isDryRun)
        // An import that is refused keeps nothing of what it saw.
        let judge = try await dryRun.isDryRun ? publisher : publisher.verifying(by: session.readingTrust())
        let importer = Importer(
            plan: plan, packages: packages, publisher: publisher, judge: judge, registry: session.registry)
        let line = ProgressLine(console)
        line.show("comparing with the registry")
        let state = try await importer.state()
        line.clear()
        if dryRun.isDryRun {
            console.result(
                ImportText.plan(plan, state), json: ImportText.json(plan, state, published: [], isDryRun: true))
            return
        }
        // All of it is one sight for devices where the registry is this command's own.
        let published = try await session.showingTogether {
            let published = try await importer.publish(state) { line.show("publishing \(plan.package) \($0.version)") }
            try await importer.offer(state) { line.show("offering \(plan.package) \($1.version) on \($0)") }
            return published
        }
        line.clear()
        _ = consume work
        console.result(
            ImportText.result(plan, state, published),
            json: ImportText.json(plan, state, published: published, isDryRun: false))
        // Whoever reads from a pipe is not to wait for the patches.
        fflush(nil)
        if !noWait { await session.finish(console: console) }
    }

    private func plan(_ configuration: PackConfiguration?) throws -> ImportPlan {
        guard let package = package ?? configuration?.package else {
            throw CommandFailure(
                "no package is given: --package ID, or \"package\" in \(PackConfiguration.fileName)", kind: "invalid")
        }
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        let export = try ExportReader(folder: folder, system: from, skipsMissing: skipMissing).read()
        for note in export.notes { options.console.note(note) }
        let names = ChannelNames(Dictionary(map.map { ($0.name, $0.channel) }, uniquingKeysWith: { $1 }))
        return try ImportPlan(export, package: package, names: names, channel: channel)
    }

    /// Asks before it makes a channel, as `publish` does. The first ones of a registry are made without a question.
    private func requireChannels(_ plan: ImportPlan, _ session: RegistrySession) async throws {
        if plan.offers.isEmpty {
            options.console.note(
                "the export names no channel, so nothing will be offered: --channel NAME offers all versions on one")
        }
        guard !newChannel else { return }
        let overview = try await session.registry.overview(of: [])
        let questions = plan.offers.keys.sorted().compactMap { NameCheck.newChannelQuestion($0, in: overview) }
        guard !questions.isEmpty else { return }
        try consent.require(isDryRun: dryRun.isDryRun, questions.joined(separator: "\n"), options)
    }

    /// Makes the packages, each in the folder for as long as the command runs.
    private func build(
        _ plan: ImportPlan, _ configuration: PackConfiguration?, in folder: URL
    ) throws -> [SemanticVersion: URL] {
        // What versions have in common is compressed once. The user's own cache would be written by a dry run too.
        let cache = CompressionCache(folder: folder.appending(path: "cache", directoryHint: .isDirectory))
        let builder = BundleBuilder(package: plan.package, configuration: configuration, cache: cache)
        let line = ProgressLine(options.console)
        defer { line.clear() }
        var packages: [SemanticVersion: URL] = [:]
        for (index, version) in plan.versions.enumerated() {
            line.show("reading \(version.file.path) (\(index + 1) of \(plan.versions.count))")
            let built = try builder.build(version, in: folder)
            packages[version.version] = built.package.archive
            if !built.secrets.isEmpty { line.clear() }
            for secret in built.secrets { Console.standardError(secret) }
        }
        return packages
    }
}

extension ExportSystem: ExpressibleByArgument {}

/// `Production=stable`: what a channel or deployment of another system becomes.
struct ChannelMapping: ExpressibleByArgument {
    let name: String
    let channel: ChannelName

    init?(argument: String) {
        guard let equals = argument.lastIndex(of: "="), equals != argument.startIndex,
            let channel = try? ChannelName(String(argument[argument.index(after: equals)...]))
        else { return nil }
        name = String(argument[..<equals])
        self.channel = channel
    }
}
