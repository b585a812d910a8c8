import Foundation
import PackFormat
import PackRegistryAPI
import PackSystem

/// Says which database a folder of files belongs to, so that no command takes an empty mount point or another registry's
/// folder for its own.
struct FolderMark {
    /// The name of the setting that has the same text.
    static let setting = "folder"

    private let folder: RegistryFolder
    private var file: URL { folder.root.appending(path: "registry.id", directoryHint: .notDirectory) }

    init(_ folder: RegistryFolder) {
        self.folder = folder
    }

    /// Looks whether a new registry can have the folder. Nothing is written.
    /// - Parameter besideRows: whether the registry's own rows are in the folder.
    /// - Throws: ``RegistryError`` of the kind `.conflict` where the folder has a registry already.
    func checkIsFree(besideRows: Bool = false) throws {
        guard try found() == nil else {
            // Of an interrupted call: nothing was shown yet.
            guard SystemCall.size(of: folder.view(.timestamp)) == nil else {
                throw RegistryError(
                    .conflict,
                    "\(folder.name) has the files of another registry: give an empty folder with --files")
            }
            return
        }
        guard besideRows || !folder.exists else {
            throw RegistryError(
                .conflict,
                "\(folder.name) has a registry of its own (registry.sqlite): give another folder with --files")
        }
    }

    /// The mark of the folder of a new registry.
    /// - Throws: as ``checkIsFree(besideRows:)``.
    func made(besideRows: Bool = false) throws -> String {
        try checkIsFree(besideRows: besideRows)
        if let text = try found() { return text }
        let text = UUID().uuidString.lowercased()
        try write(text)
        return text
    }

    /// Marks a folder as one with copies of the files of a registry, unless it is marked so already.
    /// - Parameter besideRows: whether the registry's own rows are in the folder.
    /// - Throws: ``RegistryError`` of the kind `.unusable` where the folder has other files.
    func claim(_ mark: String, besideRows: Bool) throws {
        if let found = try found() {
            guard found == mark else {
                throw RegistryError(
                    .unusable,
                    "\(folder.name) has the files of another registry: give another folder with --files")
            }
            return
        }
        guard besideRows || (!folder.exists && SystemCall.size(of: folder.view(.timestamp)) == nil) else {
            throw RegistryError(
                .unusable,
                "\(folder.name) has a registry of its own: give another folder with --files")
        }
        try SystemCall.makeFolders(folder.root)
        try write(mark)
    }

    /// - Throws: ``RegistryError`` of the kind `.unusable` where the folder is not the one of a database.
    func check(_ expected: String?, of database: String) throws {
        guard let found = try found() else {
            throw RegistryError(
                .unusable,
                "\(folder.name) does not have the files of the registry in \(database): is the disk mounted, and is "
                    + "--files right?")
        }
        guard found == expected else {
            throw RegistryError(
                .unusable,
                "\(folder.name) has the files of another registry than the one in \(database): give the right folder "
                    + "with --files")
        }
    }

    private func write(_ text: String) throws { try SystemCall.replace(file, with: Array("\(text)\n".utf8)) }

    /// nil: the folder has none.
    func found() throws -> String? {
        let path = file.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw RegistryError(.unusable, "\(path) cannot be read")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
