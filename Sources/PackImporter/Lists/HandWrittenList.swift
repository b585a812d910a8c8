import Foundation
import PackFormat
import PackJSON

/// A list that a person wrote: `import.json` or `import.csv`. It counts in place of the other system's own lists.
///
///     file,version,channel,created,note,app,percent,mandatory,disabled
///     v12.zip,1.2.0,stable,2024-03-01T10:00:00Z,"New search, and less waiting",>=3.0.0,100,no,no
struct HandWrittenList {
    private static let names: Set = [
        "file", "version", "channel", "created", "note", "app", "percent", "mandatory", "disabled",
    ]

    private struct Row {
        let place: String
        let values: [String: String]
    }

    private let rows: [Row]

    /// - Returns: nil if the folder has no such list.
    init?(in folder: ExportFolder) throws(ImportError) {
        switch (folder.lists["import.json"], folder.lists["import.csv"]) {
        case (nil, nil): return nil
        case (_?, let csv?):
            throw .invalidList(csv.path, place: nil, reason: "there is an import.json too: keep one of the two")
        case (let json?, nil): rows = try Self.rows(json: json, in: folder)
        case (nil, let csv?): rows = try Self.rows(csv: csv, in: folder)
        }
    }

    /// - Throws: ``ImportError``
    func export(in folder: ExportFolder) throws(ImportError) -> Export {
        var export = Export()
        for row in rows {
            guard let path = row.values["file"] else {
                throw .invalidList(
                    row.place, place: nil, reason: "\"file\" is missing: the path of a zip in the folder")
            }
            let file = try folder.zip(path, place: row.place)
            var release = ExportedRelease(
                file: file,
                version: try Self.value(row, "version", or: file.stem) { try SemanticVersion($0) })
            release.channel = row.values["channel"]
            release.words = row.values["note"]
            if let text = row.values["created"] {
                guard let date = ForeignTime.date(text) else {
                    throw .invalidList(
                        row.place, place: nil,
                        reason: "created: \"\(text)\" is not a time such as 2026-11-21T14:37:54Z")
                }
                release.created = date
            }
            if row.values["app"] != nil { release.requiredApp = try Self.value(row, "app") { try VersionRange($0) } }
            release.share = try Self.value(row, "percent", or: "100") { try Share($0) }
            release.isMandatory = try Self.flag(row, "mandatory")
            release.isDisabled = try Self.flag(row, "disabled")
            export.releases.append(release)
        }
        return export
    }

    private static func value<Value>(
        _ row: Row, _ name: String, or other: String = "", parse: (String) throws -> Value
    ) throws(ImportError) -> Value {
        do {
            return try parse(row.values[name] ?? other)
        } catch {
            throw .invalidList(row.place, place: nil, reason: "\(name): \(error)")
        }
    }

    private static func flag(_ row: Row, _ name: String) throws(ImportError) -> Bool {
        switch row.values[name]?.lowercased() {
        case nil, "no", "false", "0": false
        case "yes", "true", "1": true
        case let text?:
            throw .invalidList(row.place, place: nil, reason: "\(name): \"\(text)\" is not yes or no")
        }
    }

    private static func rows(csv list: ExportFile, in folder: ExportFolder) throws(ImportError) -> [Row] {
        guard let text = String(validating: try folder.bytes(of: list), as: UTF8.self) else {
            throw .invalidList(list.path, place: nil, reason: "it is not UTF-8: save it as CSV UTF-8")
        }
        let table = try CSVTable(text, file: list.path)
        if let other = table.names.first(where: { !names.contains($0) }) {
            throw .invalidList(
                list.path, place: "line 1",
                reason: "there is no column \"\(other)\" (there is: \(names.sorted().joined(separator: ", ")))")
        }
        return table.rows.map { Row(place: "\(list.path): line \($0.line)", values: $0.values) }
    }

    private static func rows(json list: ExportFile, in folder: ExportFolder) throws(ImportError) -> [Row] {
        do {
            let entries = try JSONValue(parsing: try folder.bytes(of: list)).object().array("versions")
            var rows: [Row] = []
            for (index, entry) in entries.enumerated() {
                let object = try entry.object("entry \(index + 1)")
                try object.refuseKeys(outside: names)
                var values: [String: String] = [:]
                for member in object.members { values[member.key] = try text(member.value, of: member.key) }
                rows.append(Row(place: "\(list.path): entry \(index + 1)", values: values))
            }
            return rows
        } catch let error as ImportError {
            throw error
        } catch {
            throw .invalidList(list.path, place: nil, reason: "\(error)")
        }
    }

    private static func text(_ value: JSONValue, of name: String) throws -> String {
        switch value {
        case .integer(let number) where name == "percent": "\(number)"
        case .bool(let flag) where name == "mandatory" || name == "disabled": flag ? "yes" : "no"
        default: try value.string(name)
        }
    }
}
