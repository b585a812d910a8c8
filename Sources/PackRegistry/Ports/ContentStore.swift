package import Foundation
package import PackFormat

/// The bytes of a registry's objects.
package protocol ContentStore: Sendable {
    /// The objects of this list that are missing, or there with another size.
    func missing(among objects: [Object]) async throws -> Set<Digest>

    /// Opens a package zip, which may leave out objects.
    /// - Throws: ``RegistryError`` of the kind `.invalid` for a file that is no sound package.
    func open(archive: URL) async throws -> any UploadedArchive
}

/// A package zip whose manifest was read and whose objects are not stored yet.
package protocol UploadedArchive: Sendable {
    var sealed: SealedManifest { get }

    /// Verifies the missing objects and stores them. All are durable when it returns.
    /// - Throws: ``RegistryError`` of the kind `.invalid` where one is missing in both.
    func storeObjects() async throws
}
