import Foundation
import PackPublisher
import PackSystem

/// What devices have seen of a registry whose rows were restored: the version of their newest root, and the roots that the project has
/// seen. They are kept in the project until root is above it, because what tells of them is removed on the way.
struct RestoredRoot {
    private let folder: URL
    private var file: URL { folder.appending(path: "version", directoryHint: .notDirectory) }

    init(_ project: ProjectFolder) {
        folder = project.folder.appending(path: "restored", directoryHint: .isDirectory)
    }

    /// Nil: there is nothing to be raised.
    var version: Int? {
        (try? String(contentsOf: file, encoding: .utf8)).flatMap {
            Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// The roots that were kept, the oldest first.
    func roots() throws -> [[UInt8]] {
        guard let version else { return [] }
        return try (0...version).map(place).filter { FileManager.default.fileExists(atPath: $0.path) }.map { url in
            Array(try Data(contentsOf: url))
        }
    }

    /// Keeps roots and the newest version of them and of those that were shown, beside what a call that was interrupted has kept.
    func keep(_ roots: [Int: [UInt8]], shown: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (version, bytes) in roots { try SystemCall.replace(place(version), with: bytes) }
        let newest = max(shown, roots.keys.max() ?? 0, version ?? 0)
        try SystemCall.replace(file, with: Array("\(newest)\n".utf8))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private func place(_ version: Int) -> URL {
        folder.appending(path: "\(version).root.json", directoryHint: .notDirectory)
    }
}
