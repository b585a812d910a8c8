import ArgumentParser
import Foundation
import PackArchive
import PackFormat
import PackJSON

/// `packtool verify ZIP|PACKAGE@VERSION`: checks a package.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that a package is valid, byte by byte.",
        discussion: HelpText.flowing(
            """
            Judges the structure of the zip, unpacks every file within limits, and compares size and SHA-256 with \
            pack.json. Any fault is named with the file that it is in, and the exit code is 1.
            """))

    @Argument(help: ArgumentHelp("A package zip, or a version in the registry.", valueName: "ZIP|PACKAGE@VERSION"))
    var sources: [String]

    @Flag(help: "Judge any zip, not only packages.")
    var anyZip = false

    @OptionGroup var registryOptions: RegistryOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        var results: [JSONObject] = []
        var failures: [String] = []
        for name in sources {
            do {
                let summary = try await PackageSource(name).withArchive(
                    registry: registryOptions, console: global.console
                ) { file, _ in
                    anyZip ? try judge(file) : try verify(file)
                }
                results.append(["source": .string(name), "sound": true, "summary": .string(summary)])
            } catch {
                let reason = (error as? CommandFailure)?.message ?? "\(error)"
                failures.append(reason)
                results.append(["source": .string(name), "sound": false, "error": .string(reason)])
            }
        }
        let sound = results.filter { $0["sound"] == true }
        global.console.result(
            sound.compactMap { try? $0.string("summary") }.joined(separator: "\n"),
            json: .object(["results": .array(results.map { .object($0) })]))
        if !failures.isEmpty { throw CommandFailure(failures.joined(separator: "\nerror: "), kind: "invalid") }
    }

    private func verify(_ file: URL) throws -> String {
        let package = try PackageArchive.open(file)
        let manifest = package.manifest
        return
            "\(file.relativePath): valid, \(manifest.package) \(manifest.version), \(CountText.text(manifest.files.count, "file")), "
            + "manifest \(package.sealed.digest)"
    }

    private func judge(_ file: URL) throws -> String {
        struct Drain: ContentSink {
            mutating func write(_ bytes: UnsafeRawBufferPointer) {}
            mutating func finish() {}
        }
        let archive = try ValidatedArchive(file: file)
        try archive.forEachFile { _ in Drain() }
        return "\(file.relativePath): valid, \(CountText.text(archive.entries.count, "file"))"
    }
}
