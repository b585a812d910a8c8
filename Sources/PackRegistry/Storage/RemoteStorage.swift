package import Foundation
package import PackFormat

/// Storage away from this machine for the files of one registry, such as a prefix of a bucket.
///
///     try await storage.prepare()
///     guard try await storage.writeMark(id) else { … }         // somebody else's
///     try await storage.view.put(files)
package protocol RemoteStorage: Sendable {
    /// For messages, without secrets.
    var name: String { get }
    var view: any RemoteViewStore { get }

    /// The objects.
    /// - Parameters:
    ///   - scratch: a folder for the objects of uploads until they are stored.
    ///   - keep: told of the file of each object that was stored; it may move the file away. Nobody needs it any more.
    func content(scratch: URL, keeping keep: @escaping @Sendable (Object, URL) -> Void) -> any ContentStore

    /// Finds out whether the storage can have a registry.
    /// - Throws: ``RegistryError`` with the reason.
    func prepare() async throws

    /// The mark of the registry that the files belong to; nil: none.
    func readMark() async throws -> String?

    /// - Returns: false where a mark is there already, which stays.
    func writeMark(_ mark: String) async throws -> Bool
}

/// A file that a list of remote storage has.
package struct ListedFile: Hashable, Sendable {
    /// Below the storage's prefix.
    package let name: String
    package let size: Int
    /// Nil for a file that is none of a registry's.
    package var path: StoredPath? { StoredPath(name) }

    package init(name: String, size: Int) {
        self.name = name
        self.size = size
    }
}
