import ArgumentParser
import Foundation
import PackArchive
import PackBuilder

/// `packtool build DIST...`: dist folders become package zips and a shared bundle.
struct BuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Turn the output of a web build into a package.",
        discussion: """
            The id and version come from the flags, else from packtool.json, else from the nearest package.json.
            Files that a device never needs (source maps, dotfiles, node_modules) are left out and listed; \
            .packignore decides otherwise. The same input gives the same bytes on any machine.
            """)

    @Argument(help: ArgumentHelp("The folders that the web build writes.", valueName: "DIST"), completion: .directory)
    var dists: [String]

    @Option(name: .customLong("package"), help: ArgumentHelp("The package id, once for each DIST.", valueName: "ID"))
    var packages: [String] = []

    @Option(
        name: .customLong("package-version"),
        help: ArgumentHelp("The version, once for all or once for each DIST.", valueName: "V"))
    var versions: [String] = []

    @Option(help: ArgumentHelp("The page that / opens (else index.html).", valueName: "PATH"))
    var entry: String?

    @Option(help: ArgumentHelp("The app versions that can run it, such as \">=3.2.0\".", valueName: "RANGE"))
    var requiresApp: String?

    @Option(help: ArgumentHelp("Where the web build expects to be mounted, such as /static-files/.", valueName: "PATH"))
    var base: String?

    enum Shared: String, ExpressibleByArgument, CaseIterable {
        case auto
        case off
    }

    @Option(help: "Whether files that several packages have go to a shared bundle.")
    var shared: Shared?

    @Option(
        help: ArgumentHelp("The folder for the packages (else packages).", valueName: "DIR"), completion: .directory)
    var out: String?

    @Flag(help: "Treat warnings as errors.")
    var strict = false

    @Option(help: "How small, against how fast.")
    var compression: CompressionLevel?

    @Flag(help: "Compress everything anew.")
    var noCache = false

    @OptionGroup var registryOptions: RegistryOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let console = global.console
        var request = BuildRequest(dists: dists.map { URL(filePath: $0, directoryHint: .isDirectory) })
        request.packages = packages
        request.versions = versions
        request.entry = entry
        request.requiredApp = requiresApp
        request.base = base
        request.sharesAutomatically = shared.map { $0 == .auto }
        request.out = out.map { URL(filePath: $0, directoryHint: .isDirectory) }
        request.isStrict = strict
        request.compression = compression
        request.cache = noCache ? nil : .standard()
        let line = ProgressLine(console)
        let builder = Builder(request) { phase, done, total in
            line.show("\(phase.rawValue) \(done)/\(total)")
        }
        defer { line.clear() }
        let report = try builder.build()
        line.clear()
        for finding in report.findings { console.note("\(finding)") }
        let previous = await PreviousVersions(registryOptions, console: console).manifests(before: report.packages)
        let text = BuildReportText(report: report, isVerbose: global.verbose, previous: previous)
        console.result(text.text, json: text.json)
    }
}

extension CompressionLevel: ExpressibleByArgument {}
