import Foundation
import PackArchive
import PackFormat

/// A zip of another system, unpacked into a folder as its client would have it. Its structure, sizes and names are judged
/// first, as those of any zip from outside.
struct UnpackedZip {
    let archive: ValidatedArchive
    let root: ZipRoot

    /// - Parameter entry: the page that has to be there.
    /// - Throws: ``ImportError``, `ArchiveError`
    init(_ file: ExportFile, entry: PackagePath) throws {
        archive = try ValidatedArchive(file: file.url)
        let paths = archive.entries.map(\.path)
        guard let root = ZipRoot(of: paths, entry: entry) else {
            throw ImportError.noEntry(file: file.path, entry: entry.text, hint: Self.hint(paths))
        }
        self.root = root
    }

    /// Writes the files below a folder that is empty. Each is verified while it is read.
    func write(to folder: URL) throws {
        var folders: Set<String> = []
        try archive.forEachFile { entry in
            guard let path = root.path(of: entry.path) else { return nil }
            let file = folder.appending(path: path.text, directoryHint: .notDirectory)
            let parent = file.deletingLastPathComponent()
            if folders.insert(parent.path).inserted {
                try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            }
            return try ObjectFile(file)
        }
    }

    private static func hint(_ paths: [PackagePath]) -> String {
        if paths.contains(where: { $0.text == "hotcodepush.json" }) {
            return ": it has only what changed since another version; take the complete one, which blobUrl leads to"
        }
        if paths.contains(where: { ["jsbundle", "bundle"].contains($0.fileExtension) }) {
            return ": a bundle of React Native is no web site"
        }
        return ": take the zip that the other system gave its devices"
    }
}
