package import Foundation
import PackFormat

/// A file of an export.
package struct ExportFile: Hashable, Sendable {
    /// The path below the export's folder, separated by `/`.
    package let path: String
    package let url: URL

    package init(path: String, url: URL) {
        self.path = path
        self.url = url
    }

    /// The name without its ending.
    var stem: String { url.deletingPathExtension().lastPathComponent }
    /// The folder that it lies in, below the export's; empty for the export's own.
    var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
}

/// The folder of an export: zips, also in a folder for each channel, and lists of versions beside them.
struct ExportFolder {
    /// The largest list that is read.
    static let maximumListSize = 64 << 20

    let url: URL
    /// Sorted by path.
    let zips: [ExportFile]
    /// The JSON and CSV files at the root, by name.
    let lists: [String: ExportFile]

    /// - Throws: ``ImportError``
    init(_ url: URL) throws(ImportError) {
        self.url = url
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw .notAFolder(url.relativePath)
        }
        var zips: [ExportFile] = []
        var lists: [String: ExportFile] = [:]
        for (name, type) in try Self.entries(of: url) {
            let place = url.appending(path: name)
            switch (type, place.pathExtension.lowercased()) {
            case (.typeDirectory?, _):
                for (inner, type) in try Self.entries(of: place) where type == .typeRegular {
                    let file = place.appending(path: inner)
                    guard file.pathExtension.lowercased() == "zip" else { continue }
                    zips.append(ExportFile(path: "\(name)/\(inner)", url: file))
                }
            case (.typeRegular?, "zip"): zips.append(ExportFile(path: name, url: place))
            case (.typeRegular?, "json"), (.typeRegular?, "csv"): lists[name] = ExportFile(path: name, url: place)
            default: break
            }
        }
        guard !zips.isEmpty else { throw .noZips(url.relativePath) }
        self.zips = zips.sorted { $0.path < $1.path }
        self.lists = lists
    }

    /// The zip of a path that a list names.
    /// - Throws: ``ImportError`` for a path that leads out of the folder, or to no zip of it.
    func zip(_ path: String, place: String) throws(ImportError) -> ExportFile {
        do {
            _ = try PackagePath(path)
        } catch .invalidPath(_, let reason) {
            throw .unsafeFile(path, place: place, reason: reason)
        } catch {
            throw .unsafeFile(path, place: place, reason: "\(error)")
        }
        guard let found = zips.first(where: { $0.path == path }) else { throw .noSuchFile(path, place: place) }
        return found
    }

    /// The bytes of a list.
    func bytes(of list: ExportFile) throws(ImportError) -> [UInt8] {
        let handle: FileHandle
        let data: Data
        do {
            handle = try FileHandle(forReadingFrom: list.url)
            data = try handle.read(upToCount: Self.maximumListSize + 1) ?? Data()
        } catch {
            throw .unreadable(list.path, reason: "\(error.localizedDescription)")
        }
        guard data.count <= Self.maximumListSize else { throw .tooLarge(list.path, limit: Self.maximumListSize) }
        // Editors of Windows write a mark before UTF-8.
        return Array(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
    }

    /// What is in a folder and not hidden, by the names' order. A link is of no kind that is read.
    private static func entries(of folder: URL) throws(ImportError) -> [(name: String, type: FileAttributeType?)] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
                .sorted()
                .map { name in
                    let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
                    return (name, attributes[.type] as? FileAttributeType)
                }
        } catch {
            throw .unreadable(folder.relativePath, reason: "\(error.localizedDescription)")
        }
    }
}
