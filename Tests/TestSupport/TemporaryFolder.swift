package import Foundation

/// A folder that is removed with its last user.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// - Parameter name: how the folder's name begins.
    package init(_ name: String = "packtool-test") throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Every file below a folder, by path.
    package func listing(_ path: String) throws -> Set<String> {
        let root = url.appending(path: path)
        var found: Set<String> = []
        for case let name as String in FileManager.default.enumerator(atPath: root.path) ?? .init() {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: root.path + "/" + name, isDirectory: &isFolder),
                !isFolder.boolValue
            {
                found.insert(name)
            }
        }
        return found
    }
}
