import ArgumentParser
import Foundation
import PackArchive
import PackBuilder
import PackFormat

/// `packtool diff A B`: shows what changed between two packages.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what changed between two packages.")

    @Argument(help: ArgumentHelp("The old package.", valueName: "ZIP|PACKAGE@VERSION"))
    var old: String

    @Argument(help: ArgumentHelp("The new package.", valueName: "ZIP|PACKAGE@VERSION"))
    var new: String

    @OptionGroup var registryOptions: RegistryOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let before = try await manifest(old)
        let after = try await manifest(new)
        let text = DiffText(diff: ManifestDiff(from: before, to: after))
        global.console.result(text.text, json: text.json)
    }

    private func manifest(_ source: String) async throws -> Manifest {
        try await PackageSource(source).withArchive(registry: registryOptions, console: global.console) { file, _ in
            try PackageArchive.open(file).manifest
        }
    }
}
