import Foundation
import PackBuilder
import PackFormat
import PackJSON

/// The report of a build, for people and as JSON.
struct BuildReportText {
    let report: BuildReport
    let isVerbose: Bool
    /// Only where the packages are.
    let isQuiet: Bool
    /// What the registry had before, by package; empty if no registry is reachable.
    var previous: [PackageID: Manifest] = [:]
    /// By package the manifest of just this version, where it is published.
    var published: [PackageID: Digest] = [:]

    private static let topCount = 5

    var text: String {
        if isQuiet { return report.packages.map(\.archive.relativePath).joined(separator: "\n") }
        return (report.packages.map(text) + [sharedText].compactMap { $0 }).joined(separator: "\n")
    }

    /// A line for each version that the registry has already. A bundle that is there is what bundles are for.
    var publishedAlready: [String] {
        report.packages.compactMap { package in
            guard let there = published[package.manifest.package], !package.isBundle else { return nil }
            let name = "\(package.manifest.package) \(package.manifest.version)"
            return there == package.manifestDigest
                ? "\(name) is published already, with just this content"
                : "warning: \(name) is published already with other content, and publish will refuse this one: "
                    + "give it a new version"
        }
    }

    /// A line for each version that cannot read what the one before it stores.
    var unreadableState: [String] {
        report.packages.compactMap { package in
            guard let old = previous[package.manifest.package], let written = old.state?.version else { return nil }
            let name = "\(package.manifest.package) \(package.manifest.version)"
            guard let state = package.manifest.state else {
                return
                    "warning: \(name) does not say which stored data it reads, and \(old.version), which is published, writes state "
                    + "\(written): add \"state\" to packtool.json"
            }
            guard !state.reads.contains(written) else { return nil }
            return
                "warning: \(name) reads stored data of state \(state.readsText) only, and \(old.version), which is published, "
                + "writes state \(written): channels that offer it refuse this version without --despite-state"
        }
    }

    private func text(_ package: BuiltPackage) -> String {
        let manifest = package.manifest
        var lines = [
            "\(manifest.package) \(manifest.version)\(package.isBundle ? " (shared bundle)" : "")",
            "  \(package.archive.relativePath)  \(ByteCount.text(package.archiveSize)), "
                + "\(CountText.text(manifest.files.count, "file")), \(ByteCount.text(package.totalSize)) unpacked",
            "  manifest \(package.manifestDigest)",
        ]
        for pin in manifest.shared.sorted(by: { $0.key < $1.key }) {
            let files = manifest.files.values.filter { $0.from == pin.key }
            let size = files.reduce(0) { $0 + $1.size }
            lines.append(
                "  shared  \(CountText.text(files.count, "file")), \(ByteCount.text(size)), from \(pin.key) \(pin.value.version): "
                    + "the zip is \(ByteCount.text(package.sharedSaving)) smaller")
        }
        let largest = largest(package.compressedSizes)
        if !largest.isEmpty { lines.append("  largest in the zip, and unpacked:") }
        for (path, size) in largest {
            let unpacked = manifest.files[path].map { ByteCount.text($0.size) } ?? ""
            lines.append(
                "  \(ByteCount.text(size).leftPadded(to: 9))  \(unpacked.leftPadded(to: 9))  \(path)")
        }
        lines += growth(package)
        lines += leftOut(package)
        return lines.joined(separator: "\n")
    }

    /// The files that take most of the zip, found without bringing all in order.
    private func largest(_ sizes: [PackagePath: Int]) -> [(PackagePath, Int)] {
        var top: [(path: PackagePath, size: Int)] = []
        for (path, size) in sizes {
            if top.count == Self.topCount, let last = top.last, (size, last.path) <= (last.size, path) { continue }
            let place = top.firstIndex { ($0.size, path) < (size, $0.path) } ?? top.count
            top.insert((path, size), at: place)
            if top.count > Self.topCount { top.removeLast() }
        }
        return top
    }

    private func growth(_ package: BuiltPackage) -> [String] {
        guard let old = previous[package.manifest.package] else { return [] }
        let diff = ManifestDiff(from: old, to: package.manifest)
        let sign = diff.newSize >= diff.oldSize ? "+" : ""
        var lines = [
            "  against \(old.version): \(sign)\(ByteCount.text(diff.newSize - diff.oldSize)), "
                + "\(CountText.text(diff.changes.count, "file")) changed, \(ByteCount.text(diff.newObjectSize)) of new content, "
                + "all unpacked"
        ]
        let grown = diff.changes.filter { $0.growth > 0 }.sorted { ($1.growth, $0.path) < ($0.growth, $1.path) }
        for change in grown.prefix(Self.topCount) {
            lines.append("  \(("+" + ByteCount.text(change.growth)).leftPadded(to: 9))  \(change.path)")
        }
        return lines
    }

    private func leftOut(_ package: BuiltPackage) -> [String] {
        guard !package.leftOut.isEmpty else { return [] }
        let shown = isVerbose ? package.leftOut : Array(package.leftOut.prefix(Self.topCount))
        let more = package.leftOut.count - shown.count
        return ["  left out (\(package.leftOut.count)):"] + shown.map { "    \($0.path)  (\($0.pattern))" }
            + (more > 0 ? ["    and \(more) more, --verbose lists them"] : [])
    }

    private var sharedText: String? {
        guard report.packages.contains(where: \.isBundle) else { return nil }
        let saving = report.sharedSaving
        return saving >= 0
            ? "the shared bundle saves \(ByteCount.text(saving)) in all"
            : "the shared bundle costs \(ByteCount.text(-saving)) more in all: nothing else uses it yet"
    }

    var json: JSONValue {
        .object([
            "packages": .array(report.packages.map { .object(json($0)) }),
            "notes": .array(report.notes.map { .string($0) }),
            "findings": .array(report.findings.map { .object($0.json) }),
            "sharedSaving": .integer(report.packages.contains(where: \.isBundle) ? report.sharedSaving : 0),
        ])
    }

    private func json(_ package: BuiltPackage) -> JSONObject {
        let manifest = package.manifest
        var json: JSONObject = [
            "package": .string(manifest.package.text), "version": .string(manifest.version.description),
            "archive": .string(package.archive.path), "archiveSize": .integer(package.archiveSize),
            "manifest": .string(package.manifestDigest.hex), "fileCount": .integer(manifest.files.count),
            "totalSize": .integer(package.totalSize), "isBundle": .bool(package.isBundle),
            "sharedSaving": .integer(package.sharedSaving),
            "shared": .object(
                JSONObject(
                    manifest.shared.map { id, pin in
                        (
                            id.text,
                            .object([
                                "version": .string(pin.version.description), "manifest": .string(pin.manifest.hex),
                            ])
                        )
                    })),
            "leftOut": .array(
                package.leftOut.map {
                    .object(["path": .string($0.path), "pattern": .string($0.pattern)])
                }),
        ]
        if let there = published[manifest.package] {
            json["published"] = .string(there == package.manifestDigest ? "same" : "other")
        }
        if let old = previous[manifest.package] {
            json["previous"] = .object(DiffText(diff: ManifestDiff(from: old, to: manifest)).jsonObject)
        }
        return json
    }
}

extension Finding {
    var json: JSONObject {
        var json: JSONObject = [
            "severity": .string(severity.rawValue), "kind": .string(kind.rawValue),
            "package": .string(package.text), "message": .string(message),
        ]
        json["target"] = target.map { .string($0) }
        json["file"] = file.map { .string($0) }
        json["line"] = line.map { .integer($0) }
        return json
    }
}

extension String {
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
