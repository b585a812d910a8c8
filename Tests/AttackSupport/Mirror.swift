package import Foundation

/// A copy of a published view in the hands of an attacker.
package struct Mirror: Sendable {
    package let folder: URL
    package let url: String

    package init(folder: URL, url: String) {
        self.folder = folder
        self.url = url
    }

    package func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    package func write(_ bytes: [UInt8], to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// Every file below a folder of the view, in order.
    package func paths(below path: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.appendingPathComponent(path).path)?.allObjects ?? []
        return names.compactMap { $0 as? String }.map { "\(path)/\($0)" }.sorted().filter { path in
            var isFolder: ObjCBool = false
            let file = folder.appendingPathComponent(path).path
            return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}
