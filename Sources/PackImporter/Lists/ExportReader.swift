package import Foundation
import PackFormat

/// Reads an export: a list that a person wrote, else the lists of the other system, else the names of the zips.
///
///     let export = try ExportReader(folder: url, system: .codepush).read()
package struct ExportReader {
    private let folder: URL
    private let system: ExportSystem
    private let skipsMissing: Bool

    /// - Parameter skipsMissing: versions whose zip is not there are left out, and are no error.
    package init(folder: URL, system: ExportSystem, skipsMissing: Bool = false) {
        self.folder = folder
        self.system = system
        self.skipsMissing = skipsMissing
    }

    /// - Throws: ``ImportError``
    package func read() throws(ImportError) -> Export {
        let folder = try ExportFolder(folder)
        var export = try listed(in: folder)
        guard !export.releases.isEmpty else { throw .nothing(self.folder.relativePath) }
        let used = Set(export.releases.map(\.file))
        let unused = folder.zips.filter { !used.contains($0) }.map(\.path)
        if !unused.isEmpty {
            export.notes.append(
                "\(CountText.text(unused.count, "zip is", plural: "zips are")) in no list, and not imported: "
                    + unused.prefix(8).joined(separator: ", ") + (unused.count > 8 ? ", …" : ""))
        }
        return export
    }

    private func listed(in folder: ExportFolder) throws(ImportError) -> Export {
        if let list = try HandWrittenList(in: folder) { return try list.export(in: folder) }
        let listed: Export? =
            switch system {
            case .capgo: try CapgoList.export(in: folder, skipsMissing: skipsMissing)
            case .codepush: try CodePushHistory.export(in: folder, skipsMissing: skipsMissing)
            case .zips: nil
            }
        if let listed { return listed }
        return try NamedZips(system).export(in: folder)
    }
}
