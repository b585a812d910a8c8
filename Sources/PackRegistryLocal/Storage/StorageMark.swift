import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackSystem

/// Says which registry the files in remote storage belong to, so that no command takes another registry's prefix, or an empty one, for
/// its own. The same mark is in the storage, in the rows, and in the folder of each machine that has copies of the files.
struct StorageMark {
    /// The name of the setting that has the storage's address.
    static let setting = "storage"

    let storage: any RemoteStorage
    let folder: RegistryFolder

    // MARK: A new registry

    /// Looks whether a new registry can have storage and folder. Nothing is written.
    /// - Parameter hasRows: whether the registry's rows are in the folder too.
    /// - Throws: ``RegistryError`` of the kind `.conflict` where another registry has one of them.
    func checkIsFree(hasRows: Bool) async throws {
        try FolderMark(folder).checkIsFree(besideRows: hasRows)
        let found = try await storage.readMark()
        // The own mark is of a call that was interrupted before anything was shown, or that another command is in: it marks the
        // folder first, so the folder is read last.
        let own = try FolderMark(folder).found()
        guard found == nil || found == own else { throw taken("has the files of another registry") }
        guard try await storage.view.read(.timestamp, maximumByteCount: 1 << 20) == nil else {
            throw taken("has the view of a registry")
        }
    }

    /// Marks storage and folder as those of a new registry.
    /// - Returns: the mark, for the rows.
    func made(hasRows: Bool) async throws -> String {
        try await checkIsFree(hasRows: hasRows)
        try await storage.prepare()
        let mark = try FolderMark(folder).made(besideRows: hasRows)
        guard try await storage.writeMark(mark) else { throw taken("has the files of another registry") }
        return mark
    }

    private func taken(_ text: String) -> RegistryError {
        RegistryError(.conflict, "\(storage.name) \(text): give another bucket or another prefix with --storage")
    }

    // MARK: A registry that is there

    /// - Parameters:
    ///   - mark: what the rows have.
    ///   - look: what the storage has.
    ///   - known: the storage's address when the registry was made; nil: its files are in a folder.
    ///   - rows: for messages.
    /// - Throws: ``RegistryError`` of the kind `.unusable` where storage or folder are not those of the rows.
    func check(
        _ mark: String?, _ look: StorageLook, known: String?, of rows: String, hasRows: Bool
    ) async throws {
        guard let mark, let known else {
            throw RegistryError(
                .unusable,
                "the registry in \(rows) has its files in a folder, and not in \(storage.name): leave out --storage, and "
                    + "unset PACKTOOL_STORAGE")
        }
        guard let found = try await look.mark else {
            throw RegistryError(
                .unusable,
                "\(storage.name) does not have the files of the registry in \(rows), which were put into \(known): "
                    + (storage.name == known
                        ? "its mark, registry.id, is gone. If it is the right bucket, put a file of that name there again that has the text "
                            + "\(mark) (docs/SCALING.md)"
                        : "give the right address with --storage"))
        }
        guard found == mark else {
            throw RegistryError(
                .unusable,
                "\(storage.name) has the files of another registry than the one in \(rows): give the right address with "
                    + "--storage")
        }
        // At this address it was tried when the registry was made. A server tries it again when it starts.
        if storage.name != known { try await storage.prepare() }
        try FolderMark(folder).claim(mark, besideRows: hasRows)
        // A server looks for these folders, and nothing may have been copied or uploaded yet.
        for needed in [folder.view, folder.uploads] { try SystemCall.makeFolders(needed) }
    }
}
