import ArgumentParser
import Foundation
import PackArchive
import PackBuilder
import PackFormat
import PackJSON

/// `packtool build DIST...`: builds package zips and a shared bundle from dist folders.
struct BuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Turn the output of a web build into a package.",
        discussion: HelpText.flowing(
            """
            The id and version come from the flags, else from packtool.json, else from the nearest package.json.
            Files that a device never needs (source maps, dotfiles, node_modules) are left out and listed; \
            .packignore decides otherwise. The same input gives the same bytes on any machine.

            Warnings go to stderr, also with --quiet, which prints the packages' paths only.
            """))

    @Argument(
        help: ArgumentHelp("The folders that the web build writes (else dist of packtool.json).", valueName: "DIST"),
        completion: .directory)
    var dists: [String] = []

    @Option(name: .customLong("package"), help: ArgumentHelp("The package id, once for each DIST.", valueName: "ID"))
    var packages: [String] = []

    @Option(
        name: .customLong("package-version"),
        help: ArgumentHelp("The version, once for all or once for each DIST.", valueName: "V"))
    var versions: [String] = []

    @Option(
        help: ArgumentHelp(
            "Appended to the version: ci.17 makes 1.4.0-ci.17 of 1.4.0, and 1.4.1-ci.17 where 1.4.0 is published.",
            valueName: "WORDS"))
    var prerelease: String?

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
        help: ArgumentHelp("The folder for the packages (else packages, beside packtool.json).", valueName: "DIR"),
        completion: .directory)
    var out: String?

    @Flag(help: "Treat warnings as errors.")
    var strict = false

    @Flag(help: "Treat as errors the warnings that the last published version would not get.")
    var strictNew = false

    @Flag(help: "Pack private keys and tokens too.")
    var allowSecrets = false

    @Flag(help: "Pack a folder that is a whole project.")
    var wholeProject = false

    @Option(help: "How small, against how fast.")
    var compression: CompressionLevel?

    @Flag(help: "Compress everything again.")
    var noCache = false

    @OptionGroup var registryOptions: RegistryOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try registryOptions.authorities.trust()
        let console = global.console
        let line = ProgressLine(console)
        defer { line.clear() }
        var request = try request()
        let registry = PreviousVersions(registryOptions, console: console)
        if let prerelease {
            if let published = await registry.published() {
                request.published = published
            } else {
                let reason = registry.fault.map { " (\($0))" } ?? ""
                console.note(
                    "warning: no registry said which versions are published\(reason), so \(prerelease) is for the project's own version, also "
                        + "where that is published already: give --registry, or look whether it answers (packtool status)"
                )
            }
        }
        if strictNew {
            request.known = try await registry.findings(before: Builder(request).identities())
            if request.known.isEmpty { console.note("nothing is published to compare with: no warning is new") }
        }
        let builder = Builder(request) { phase, done, total in
            line.show("\(phase.rawValue) \(done)/\(total)")
        }
        let report: BuildReport
        do {
            report = try builder.build()
        } catch BuildError.refused(let findings) {
            line.clear()
            show(findings)
            throw CommandFailure(
                BuildError.countText(findings), details: ["findings": .array(findings.map { .object($0.json) })])
        }
        line.clear()
        for note in report.notes { console.note(note) }
        show(report.findings)
        let before = await registry.found(before: report.packages.map { ($0.manifest.package, $0.manifest.version) })
        let text = BuildReportText(
            report: report, isVerbose: global.verbose, isQuiet: global.quiet, previous: before.manifests,
            published: before.published)
        for warning in text.publishedAlready + text.unreadableState { Console.standardError(warning) }
        console.result(text.text, json: text.json)
    }

    /// Warnings are what a quiet build is run for.
    private func show(_ findings: [Finding]) {
        for line in FindingSummary(findings, showsAll: global.verbose || global.json).lines {
            Console.standardError(line)
        }
    }

    private func request() throws -> BuildRequest {
        var request = BuildRequest(dists: try folders())
        request.packages = try Self.values(packages, of: "--package") { try PackageID($0) }
        request.versions = try Self.values(versions, of: "--package-version") { try SemanticVersion($0) }
        request.prerelease = try Self.values(prerelease, of: "--prerelease") { try PrereleaseWords($0) }
        request.entry = try Self.values(entry, of: "--entry") { try PackagePath($0) }
        request.requiredApp = try Self.values(requiresApp, of: "--requires-app") { try VersionRange($0) }
        request.base = try Self.values(base, of: "--base") { try BaseSetting($0) }
        request.sharesAutomatically = shared.map { $0 == .auto }
        request.out = out.map { URL(filePath: $0, directoryHint: .isDirectory) }
        request.isStrict = strict
        request.allowsSecrets = allowSecrets
        request.allowsProjects = wholeProject
        request.compression = compression
        request.cache = noCache ? nil : .standard()
        return request
    }

    /// - Throws: ``BuildError`` that names the option.
    private static func values<Value>(
        _ texts: [String], of option: String, parse: (String) throws -> Value
    ) throws -> [Value] {
        do { return try texts.map(parse) } catch { throw BuildError.invalid("\(error)", source: option) }
    }

    private static func values<Value>(
        _ text: String?, of option: String, parse: (String) throws -> Value
    ) throws -> Value? {
        try values([text].compactMap(\.self), of: option, parse: parse).first
    }

    private func folders() throws -> [URL] {
        if !dists.isEmpty { return dists.map { URL(filePath: $0, directoryHint: .isDirectory) } }
        return try [CurrentProject.dist()]
    }
}

extension CompressionLevel: ExpressibleByArgument {}
