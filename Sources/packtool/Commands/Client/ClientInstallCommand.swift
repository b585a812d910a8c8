import ArgumentParser
import Foundation
import PackArchive
import PackFormat
import PackJSON
import PackUpdater

struct ClientInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a package zip without downloading it.",
        discussion: HelpText.flowing(
            """
            The zip's manifest must be one that its publisher signed, by the
            metadata of the registry. --unsigned installs it all the same: for
            development, never for a device of somebody else.
            """))

    @Argument(help: ArgumentHelp("The package.", valueName: "ZIP"))
    var zip: String

    @Flag(help: "Install a package without a signature.")
    var unsigned = false

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let archive = try PackageArchive.open(URL(fileURLWithPath: zip))
        let updater = try client.updater()
        try await updater.importPackage(manifest: archive.sealed.bytes, requiresSignature: !unsigned) { batch in
            try archive.extractObjects { object in ImportSink(object: object, batch: batch) }
        }
        let manifest = archive.manifest
        client.global.console.result(
            "\(manifest.package) \(manifest.version) is active",
            json: .object([
                "package": .string(manifest.package.text), "version": .string(manifest.version.description),
            ]))
    }

    /// Hands an archive's verified content to the store.
    private struct ImportSink: ContentSink {
        let object: Object
        let batch: ImportBatch
        private var isOpen = false

        init(object: Object, batch: ImportBatch) {
            self.object = object
            self.batch = batch
        }

        mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
            try open()
            try batch.write(bytes)
        }

        mutating func finish() throws {
            try open()
            try batch.finish(object)
        }

        private mutating func open() throws {
            if !isOpen { try batch.begin(object) }
            isOpen = true
        }
    }
}
