import PackRegistry
import PackRegistrySQL

/// The mark of a new registry, wherever its files are to be.
struct NewRegistryMark {
    let folder: RegistryFolder
    let storage: (any RemoteStorage)?
    /// Whether the registry's rows are in the folder too.
    let hasRows: Bool

    /// Looks whether the registry can have its place. Nothing is written.
    /// - Throws: ``RegistryError`` of the kind `.conflict` where another registry has folder or storage.
    func checkIsFree() async throws {
        if let storage {
            try await StorageMark(storage: storage, folder: folder).checkIsFree(hasRows: hasRows)
        } else if !hasRows {
            try FolderMark(folder).checkIsFree()
        }
    }

    /// Marks folder and storage.
    /// - Returns: the settings that say so in the rows; nil for one that they do not need.
    func made() async throws -> [(name: String, value: String?)] {
        var mark: String?
        if let storage {
            mark = try await StorageMark(storage: storage, folder: folder).made(hasRows: hasRows)
        } else if !hasRows {
            mark = try FolderMark(folder).made()
        }
        return [(FolderMark.setting, mark), (StorageMark.setting, storage?.name)]
    }
}
