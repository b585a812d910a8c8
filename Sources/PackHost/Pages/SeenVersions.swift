public import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The version of each package whose service workers a view's data may have. Workers of any other version are to be
/// removed before a page of this one loads, because they would answer in its place.
public struct SeenVersions: Sendable {
    private static let maximumByteCount = 1 << 20

    private var digests: [PackageID: Digest] = [:]
    private var file: URL?

    /// - Parameter file: Kept as long as the view's data. It is read at each question, because views that share their
    ///   data share it. Nil for data in memory.
    public init(file: URL?) {
        self.file = file
    }

    /// Whether the view may have workers of another version.
    public func isOther(_ digest: Digest, of package: PackageID) -> Bool { noted[package] != digest }

    /// Records the version, when the workers of others are removed. If it cannot be written, it holds for this run, and
    /// the workers are removed once more in the next one.
    public mutating func note(_ digest: Digest, of package: PackageID) {
        digests = noted
        digests[package] = digest
        guard let file else { return }
        let list = JSONObject(digests.map { ($0.key.text, .string($0.value.hex)) })
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(JSONValue.object(list).compactText.utf8).write(to: file, options: .atomic)
        } catch {
            self.file = nil
        }
    }

    private var noted: [PackageID: Digest] { file.map(Self.read) ?? digests }

    private static func read(_ file: URL) -> [PackageID: Digest] {
        guard let data = FileManager.default.contents(atPath: file.path),
            data.count <= maximumByteCount, let list = try? JSONValue(parsing: Array(data)).object()
        else { return [:] }
        var digests: [PackageID: Digest] = [:]
        for member in list.members {
            guard let package = try? PackageID(member.key), let text = try? member.value.string(),
                let digest = try? Digest(hex: text)
            else { continue }
            digests[package] = digest
        }
        return digests
    }
}
