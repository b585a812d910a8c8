import Foundation
import PackPublisher
import PackSystem

/// The version of the newest root that devices have seen of a registry whose rows were restored. It is kept in the project until root is
/// above it, because what tells of it is removed on the way.
struct RestoredRoot {
    private let file: URL

    init(_ project: ProjectFolder) {
        file = project.folder.appending(path: "restored-root", directoryHint: .notDirectory)
    }

    /// Nil: there is nothing to be raised.
    var version: Int? {
        (try? String(contentsOf: file, encoding: .utf8)).flatMap {
            Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// Keeps a version, unless there is a newer one from a call that was interrupted.
    func keep(_ version: Int) throws {
        try SystemCall.replace(file, with: Array("\(max(version, self.version ?? 0))\n".utf8))
    }

    func remove() { try? FileManager.default.removeItem(at: file) }
}
