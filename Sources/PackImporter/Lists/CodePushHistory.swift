import Foundation
import PackFormat

/// The saved histories of CodePush deployments: one JSON file each, named by the deployment, as
/// `code-push deployment history APP Production --format json` prints it, or as the servers' own API answers.
///
/// CodePush numbers the releases of each deployment: v1, v2, …. Such a label becomes the version `0.0.1-production`, so the
/// labels of several deployments are different versions, and every version of a person's own, from 0.1.0 on, is higher.
enum CodePushHistory {
    /// The file of a deployment: a list, or an object that has it.
    private struct Document: Decodable {
        let releases: [CodePushRelease]

        private enum Key: String, CodingKey { case history, releases }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
                let key = Key.history
                let other = container.contains(key) ? key : .releases
                releases = try container.decode([CodePushRelease].self, forKey: other)
            } else {
                releases = try decoder.singleValueContainer().decode([CodePushRelease].self)
            }
        }
    }

    private struct Entry {
        let deployment: String
        let number: UInt64
        let label: String
        let release: CodePushRelease
        let place: String
    }

    /// - Returns: nil if the folder has no histories.
    static func export(in folder: ExportFolder, skipsMissing: Bool) throws(ImportError) -> Export? {
        let lists = folder.lists.values.filter { $0.url.pathExtension.lowercased() == "json" }.sorted {
            $0.path < $1.path
        }
        guard !lists.isEmpty else { return nil }
        var entries: [Entry] = []
        for list in lists { entries += try self.entries(of: list, in: folder) }
        var export = Export()
        var missing: [String] = []
        for entry in entries {
            guard let file = zip(of: entry, among: entries, isOnly: lists.count == 1, in: folder) else {
                missing.append("\(entry.deployment)/\(entry.label).zip")
                continue
            }
            export.releases.append(try release(entry, file))
        }
        guard missing.isEmpty || skipsMissing else {
            throw .missingZips(missing, hint: "Each is what blobUrl of its entry leads to")
        }
        if !missing.isEmpty {
            export.notes.append("without a zip, and not imported: \(missing.joined(separator: ", "))")
        }
        return export
    }

    /// The version of a label.
    static func version(
        _ number: UInt64, of deployment: String, place: String
    ) throws(ImportError) -> SemanticVersion {
        let word = String(
            deployment.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        do {
            return try SemanticVersion("0.0.\(number)-\(word)")
        } catch {
            throw .invalidList(place, place: nil, reason: "\(error); name the file by another word")
        }
    }

    /// The number of a label such as `v12`.
    static func number(_ label: String) -> UInt64? {
        guard label.hasPrefix("v"), let number = UInt64(label.dropFirst()), label == "v\(number)" else { return nil }
        return number
    }

    /// By the numbers of their labels.
    private static func entries(of list: ExportFile, in folder: ExportFolder) throws(ImportError) -> [Entry] {
        let releases = try ForeignJSON.read(Document.self, from: list, in: folder).releases
        var entries: [Entry] = []
        for (index, release) in releases.enumerated() {
            let place = "\(list.path): entry \(index + 1)"
            guard let label = release.label else {
                throw .invalidList(list.path, place: "entry \(index + 1)", reason: "it has no label, such as v12")
            }
            guard let number = number(label) else {
                throw .invalidList(
                    list.path, place: "entry \(index + 1)", reason: "\"\(label)\" is not a label such as v12")
            }
            entries.append(
                Entry(deployment: list.stem, number: number, label: label, release: release, place: place))
        }
        return entries.sorted { $0.number < $1.number }
    }

    private static func release(_ entry: Entry, _ file: ExportFile) throws(ImportError) -> ExportedRelease {
        let release = entry.release
        var exported = ExportedRelease(
            file: file, version: try version(entry.number, of: entry.deployment, place: entry.place))
        exported.channel = entry.deployment
        exported.created = release.uploadTime?.date
        exported.origin = "CodePush \(entry.deployment) \(entry.label)" + (release.source.map { ", \($0)" } ?? "")
        exported.words = release.description
        if let range = release.range { exported.requiredApp = try NodeRange(range, place: entry.place).range }
        exported.isMandatory = release.isMandatory ?? false
        exported.isDisabled = release.isDisabled ?? false
        if let percent = release.rollout {
            guard let whole = Int(exactly: percent), let share = try? Share(percent: whole) else {
                throw .invalidList(entry.place, place: nil, reason: "the rollout is not 0 to 100 percent")
            }
            exported.share = share
        }
        exported.content = release.packageHash.flatMap { $0.isEmpty ? nil : .codePush($0.lowercased()) }
        return exported
    }

    /// The zip of a release: named by its label, else by its hash, else that of a release with the same hash, which is how
    /// CodePush promotes and rolls back.
    private static func zip(
        of entry: Entry, among entries: [Entry], isOnly: Bool, in folder: ExportFolder
    ) -> ExportFile? {
        let hash = entry.release.packageHash.flatMap { $0.isEmpty ? nil : $0 }
        var same = [entry]
        if let hash { same += entries.filter { $0.release.packageHash == hash && $0.place != entry.place } }
        for entry in same {
            var paths = ["\(entry.deployment)/\(entry.label)", "\(entry.deployment)-\(entry.label)"]
            if isOnly { paths.append(entry.label) }
            if let hash { paths += ["\(entry.deployment)/\(hash)", hash] }
            for path in paths {
                if let found = folder.zips.first(where: { $0.path == "\(path).zip" }) { return found }
            }
        }
        return nil
    }
}
