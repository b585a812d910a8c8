import Foundation
import PackFormat
import PackJSON

/// The version of each package whose service workers the view may have. Workers of any other version are removed.
struct SeenVersions {
    private static let maximumByteCount = 1 << 20

    private var digests: [PackageID: Digest] = [:]
    /// Beside the view's own data.
    private let file: URL

    /// - Parameter folder: where the view keeps its data.
    init(folder: URL) {
        file = folder.appending(path: "packtool-versions.json")
        guard let data = FileManager.default.contents(atPath: file.path),
            data.count <= Self.maximumByteCount, let list = try? JSONValue(parsing: Array(data)).object()
        else { return }
        for member in list.members {
            guard let package = try? PackageID(member.key), let text = try? member.value.string(),
                let digest = try? Digest(hex: text)
            else { continue }
            digests[package] = digest
        }
    }

    /// Whether the view may have workers of another version.
    func isOther(_ digest: Digest, of package: PackageID) -> Bool { digests[package] != digest }

    /// Records the version. If it cannot be written, the workers are removed once more at the next start.
    mutating func note(_ digest: Digest, of package: PackageID) {
        digests[package] = digest
        let list = JSONObject(digests.map { ($0.key.text, .string($0.value.hex)) })
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(JSONValue.object(list).compactText.utf8).write(to: file, options: .atomic)
    }
}
