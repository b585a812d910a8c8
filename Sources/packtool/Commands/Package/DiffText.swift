import PackBuilder
import PackFormat
import PackJSON

/// The changes between two versions, for people and as JSON.
struct DiffText {
    let diff: ManifestDiff

    var text: String {
        if diff.changes.isEmpty, diff.fields.isEmpty { return "no difference" }
        var lines = diff.fields.map { field in "\(field.name): \(field.old.shown) → \(field.new.shown)" }
        for change in diff.changes {
            switch change.kind {
            case .added: lines.append("+ \(change.path)  \(ByteCount.text(change.newSize))")
            case .removed: lines.append("- \(change.path)  \(ByteCount.text(change.oldSize))")
            case .moved: lines.append("> \(change.oldPath?.text ?? "") → \(change.path)")
            case .changed:
                let sign = change.growth > 0 ? "+" : ""
                lines.append(
                    "~ \(change.path)  \(ByteCount.text(change.oldSize)) → \(ByteCount.text(change.newSize)) "
                        + "(\(sign)\(ByteCount.text(change.growth)))")
            }
        }
        let sign = diff.newSize > diff.oldSize ? "+" : ""
        lines.append(
            "\(CountText.text(diff.changes.count, "file differs", plural: "files differ")), \(ByteCount.text(diff.newObjectSize)) of new content, "
                + "\(sign)\(ByteCount.text(diff.newSize - diff.oldSize)) in all")
        return lines.joined(separator: "\n")
    }

    var json: JSONValue { .object(jsonObject) }

    var jsonObject: JSONObject {
        [
            "changes": .array(
                diff.changes.map { change in
                    var json: JSONObject = [
                        "kind": .string(change.kind.rawValue), "path": .string(change.path.text),
                        "oldSize": .integer(change.oldSize), "newSize": .integer(change.newSize),
                    ]
                    json["oldPath"] = change.oldPath.map { .string($0.text) }
                    return .object(json)
                }),
            "fields": .object(
                JSONObject(
                    diff.fields.map { field in
                        (field.name, .object(["old": .string(field.old), "new": .string(field.new)]))
                    })),
            "newContentSize": .integer(diff.newObjectSize), "oldSize": .integer(diff.oldSize),
            "newSize": .integer(diff.newSize),
        ]
    }
}

extension String {
    fileprivate var shown: String { isEmpty ? "none" : self }
}
