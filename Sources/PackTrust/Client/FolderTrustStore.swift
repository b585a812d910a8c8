import PackSystem

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store in its own folder.
///
/// Each write goes to a new file that is synced, renamed over the old one, and then the folder is synced: at no moment
/// is a half-written file under a name that is read.
public struct FolderTrustStore: TrustStore {
    public let folder: URL

    /// Opens a store and removes what a killed process left half-written. The first write creates the folder, so a
    /// client that never reached its repository leaves nothing.
    /// - Throws: ``TrustError/store(path:reason:)`` if a file exists at the folder's path.
    public init(folder: URL) throws(TrustError) {
        self.folder = folder
        try DurableFile.checkPlace(of: folder)
        DurableFile.removeLeftovers(in: folder)
        DurableFile.removeLeftovers(in: folder.appendingPathComponent(StoreName.rootHistoryFolder))
    }

    public func read(_ name: String) throws -> [UInt8]? {
        let url = folder.appendingPathComponent(name)
        do {
            return Array(try Data(contentsOf: url))
        } catch let error as CocoaError where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code) {
            return nil
        } catch {
            throw TrustError.store(path: url.path, reason: "it cannot be read: \(SystemCall.reason(of: error))")
        }
    }

    public func write(_ bytes: [UInt8], to name: String) throws {
        let url = folder.appendingPathComponent(name)
        try DurableFile.makeFolder(url.deletingLastPathComponent())
        try DurableFile.replace(url, bytes: bytes)
    }

    public func remove(_ name: String) throws {
        try DurableFile.remove(folder.appendingPathComponent(name))
    }
}
