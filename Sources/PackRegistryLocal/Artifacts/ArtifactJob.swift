import PackFormat
import PackJSON

/// Files that are made together from the objects of published versions, and put in place in the view. The caller
/// records them. A file that was made and not recorded is made again, with the same bytes.
enum ArtifactJob: Hashable, Sendable {
    case file(DerivedFile)
    /// A version's full download, made quickly.
    case quickDownload(Digest)
    /// The compressed forms of objects for online copies.
    case encodings([Digest])
}

/// Executes jobs one at a time, for one thread.
protocol ArtifactMaker {
    /// - Returns: The size of each file in bytes, nil for a file that is not worth keeping: one file, or each
    ///   object's forms in the order of ``ContentCoding/allCases``.
    func make(_ job: ArtifactJob) throws -> [Int?]
}

extension ArtifactJob {
    /// As a line of JSON for another process of this program.
    var json: JSONObject {
        switch self {
        case .file(let file):
            var json: JSONObject = ["make": .string(file.kind.rawValue), "target": .string(file.target.hex)]
            if let base = file.base { json["base"] = .string(base.hex) }
            return json
        case .quickDownload(let version): return ["make": "quickDownload", "target": .string(version.hex)]
        case .encodings(let objects):
            return ["make": "encodings", "objects": .array(objects.map { .string($0.hex) })]
        }
    }

    init(json: JSONObject) throws {
        switch try json.string("make") {
        case "quickDownload": self = .quickDownload(try Digest(hex: json.string("target")))
        case "encodings":
            let objects = try json["objects"]?.array() ?? []
            self = .encodings(try objects.map { try Digest(hex: $0.string()) })
        case let name:
            guard let kind = DerivedFile.Kind(rawValue: name) else {
                throw JSONError.unexpected(field: "make", wanted: "a kind of file", found: "\"\(name)\"")
            }
            let base = try json["base"].map { try Digest(hex: $0.string()) }
            self = .file(DerivedFile(kind, of: try Digest(hex: json.string("target")), from: base))
        }
    }

    /// What an operator reads where it could not be made.
    var name: String {
        switch self {
        case .file(let file): "\(file.kind.rawValue) of \(file.target)" + (file.base.map { " from \($0)" } ?? "")
        case .quickDownload(let version): "first download of \(version)"
        case .encodings(let objects): "compressed forms of \(objects.count) files"
        }
    }
}
