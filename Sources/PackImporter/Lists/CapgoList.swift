import Foundation
import PackFormat

/// The saved lists of a Capgo app: `bundles.json` (`GET /bundle`), and `channels.json` (`GET /channel`) if it is there. Each
/// answer has a page of 50; further pages are `bundles-2.json` and so on.
///
/// Capgo tells which bundle a channel has now, and not which it had before. So a bundle that no channel has is on the channel
/// that the command names, if it names one.
enum CapgoList {
    private struct Bundle: Decodable {
        let name: String
        let appId: String?
        let createdAt: ForeignTime?
        let checksum: String?
        let sessionKey: String?
        let deleted: Bool?
        let comment: String?
        let r2Path: String?
        let bucketId: String?
        /// In lists that people have joined.
        let channel: String?

        /// Rows that stand for what the app brought, and for no bundle.
        var isBuiltIn: Bool { ["builtin", "unknown"].contains(name) }
    }

    private struct Channel: Decodable {
        let name: String
        let version: Version?

        /// The version's row, or its name.
        struct Version: Decodable {
            let name: String

            private enum Key: CodingKey { case name }

            init(from decoder: any Decoder) throws {
                if let container = try? decoder.container(keyedBy: Key.self) {
                    name = try container.decode(String.self, forKey: .name)
                } else {
                    name = try decoder.singleValueContainer().decode(String.self)
                }
            }
        }
    }

    /// - Returns: nil if the folder has no list of bundles.
    static func export(in folder: ExportFolder, skipsMissing: Bool) throws(ImportError) -> Export? {
        var bundles: [(bundle: Bundle, place: String)] = []
        for list in lists("bundles", in: folder) {
            let read = try ForeignJSON.read([Bundle].self, from: list, in: folder)
            bundles += read.enumerated().map { (bundle: $1, place: "\(list.path): entry \($0 + 1)") }
        }
        guard !bundles.isEmpty else { return nil }
        var channels: [Channel] = []
        for list in lists("channels", in: folder) {
            channels += try ForeignJSON.read([Channel].self, from: list, in: folder)
        }
        var export = Export()
        var missing: [String] = []
        let current = channels.filter { !["builtin", "unknown"].contains($0.version?.name ?? "builtin") }
        let deleted = bundles.filter { $0.bundle.deleted == true }.map(\.bundle.name)
        bundles.removeAll { $0.bundle.deleted == true || $0.bundle.isBuiltIn }
        for (bundle, place) in bundles {
            guard let version = try? SemanticVersion(bundle.name) else {
                throw .noVersion(name: bundle.name, place: place)
            }
            guard let file = zip(of: bundle, in: folder) else {
                missing.append("\(bundle.name).zip")
                continue
            }
            let release = release(bundle, version, file)
            var names = current.filter { $0.version?.name == bundle.name }.map(\.name)
            if let own = bundle.channel, !own.isEmpty, !names.contains(own) { names.append(own) }
            export.releases += names.isEmpty ? [release] : names.map { release.on($0) }
        }
        guard missing.isEmpty || skipsMissing else {
            throw .missingZips(missing, hint: "capgo bundle download, or the bucket of the app, has each")
        }
        for channel in current {
            guard let name = channel.version?.name, let version = try? SemanticVersion(name),
                export.releases.contains(where: { $0.version == version })
            else { continue }
            export.last[channel.name] = version
        }
        if !missing.isEmpty {
            export.notes.append("without a zip, and not imported: \(missing.joined(separator: ", "))")
        }
        if !deleted.isEmpty {
            export.notes.append("deleted in Capgo, and not imported: \(deleted.joined(separator: ", "))")
        }
        return export
    }

    private static func release(_ bundle: Bundle, _ version: SemanticVersion, _ file: ExportFile) -> ExportedRelease {
        var release = ExportedRelease(file: file, version: version)
        release.created = bundle.createdAt?.date
        release.origin = "Capgo"
        release.words = bundle.comment
        if let key = bundle.sessionKey, !key.isEmpty {
            release.content = .encrypted
        } else {
            // Older bundles have a CRC-32, which says less than the zip's own.
            release.content = bundle.checksum.flatMap { try? Digest(hex: $0.lowercased()) }.map { .zip($0) }
        }
        return release
    }

    /// The first page, and those after it.
    private static func lists(_ name: String, in folder: ExportFolder) -> [ExportFile] {
        folder.lists.values.filter { list in
            list.url.pathExtension.lowercased() == "json" && (list.stem == name || list.stem.hasPrefix(name + "-"))
        }.sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
    }

    private static func zip(of bundle: Bundle, in folder: ExportFolder) -> ExportFile? {
        var names = [bundle.name]
        if let app = bundle.appId { names += ["\(app)_\(bundle.name)", "\(app)-\(bundle.name)"] }
        if let checksum = bundle.checksum, !checksum.isEmpty { names.append(checksum) }
        for path in [bundle.r2Path, bundle.bucketId].compactMap(\.self) {
            names.append(URL(filePath: path).deletingPathExtension().lastPathComponent)
        }
        for name in names {
            if let found = folder.zips.first(where: { $0.stem == name }) { return found }
        }
        return nil
    }
}

extension ExportedRelease {
    fileprivate func on(_ channel: String) -> ExportedRelease {
        var release = self
        release.channel = channel
        return release
    }
}
