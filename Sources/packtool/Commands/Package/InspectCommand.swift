import ArgumentParser
import Foundation
import PackArchive
import PackBuilder
import PackFormat
import PackJSON

/// `packtool inspect ZIP|PACKAGE@VERSION`: shows the content of a package.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show what is inside a package.")

    @Argument(help: ArgumentHelp("A package zip, or a version in the registry.", valueName: "ZIP|PACKAGE@VERSION"))
    var source: String

    @OptionGroup var registryOptions: RegistryOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let source = try PackageSource(source)
        try await source.withArchive(registry: registryOptions, console: global.console) { file, session in
            var provenance: ShownProvenance?
            if let version = source.version, let session {
                provenance = try await ShownProvenance(of: version, in: session)
            }
            let package = try PackageArchive.open(file)
            try provenance?.check(package.sealed)
            var json = json(package)
            json["provenance"] = provenance.map { .object($0.json) }
            let text = text(package) + (provenance.map { "\n" + $0.text } ?? "")
            global.console.result(text, json: .object(json))
            try provenance?.requireSigner()
        }
    }

    private func text(_ package: PackageArchive) -> String {
        let manifest = package.manifest
        var lines = [
            "\(manifest.package) \(manifest.version)", "manifest  \(package.sealed.digest)",
            "entry     \(manifest.entry?.text ?? "none (a shared bundle)")",
            "files     \(manifest.files.count), "
                + "\(ByteCount.text(manifest.files.values.reduce(0) { $0 + $1.size })) unpacked, "
                + "\(ByteCount.text(package.archive.entries.reduce(0) { $0 + $1.compressedSize })) compressed",
        ]
        for (id, pin) in manifest.shared.sorted(by: { $0.key < $1.key }) {
            lines.append("shared    \(id) \(pin.version), manifest \(pin.manifest)")
        }
        if !manifest.origins.isEmpty { lines.append("origins   \(manifest.origins.joined(separator: " "))") }
        if let range = manifest.requiredApp { lines.append("requires  app \(range)") }
        if let state = manifest.state { lines.append("state     \(state.text)") }
        if manifest.isSinglePage { lines.append("spa       unknown paths open the entry") }
        if let base = manifest.base { lines.append("base      \(base)") }
        if manifest.wantsServiceWorker { lines.append("worker    pages may register a service worker") }
        for (prefix, target) in manifest.api.targets.sorted(by: { $0.key < $1.key }) {
            lines.append("api       \(prefix) → \(target)")
        }
        for (name, value) in manifest.headers.sorted(by: { $0.key < $1.key }) {
            lines.append("header    \(name): \(value)")
        }
        for path in manifest.sortedPaths {
            guard let file = manifest.files[path] else { continue }
            let origin = file.from.map { "  (from \($0))" } ?? ""
            lines.append("  \(file.digest.hex.prefix(12))  \(String(file.size).leftPadded(to: 10))  \(path)\(origin)")
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ package: PackageArchive) -> JSONObject {
        let compressed = Dictionary(
            package.archive.entries.map { ($0.path, $0.compressedSize) }, uniquingKeysWith: { first, _ in first })
        let sizes = compressed.map { ($0.key.text, JSONValue.integer($0.value)) }
        return [
            "archive": .string(package.archive.file.path), "manifestDigest": .string(package.sealed.digest.hex),
            "manifest": (try? JSONValue(parsing: package.sealed.bytes)) ?? .null,
            "compressedSizes": .object(JSONObject(sizes)),
        ]
    }
}
