package import Foundation
package import PackFormat

/// The bytes of a registry's objects.
package protocol ContentStore: Sendable {
    /// Which of these objects are not there with their size.
    func missing(among objects: [Object]) async throws -> Set<Digest>

    /// Opens a package zip in which objects may be left out.
    /// - Throws: ``RegistryError`` of the kind `.invalid` for a file that is no sound package.
    func open(archive: URL) async throws -> any UploadedArchive
}

/// A package zip whose manifest was read and whose objects are not stored yet.
package protocol UploadedArchive: Sendable {
    var manifest: Manifest { get }
    var manifestBytes: [UInt8] { get }
    var manifestDigest: Digest { get }

    /// Verifies and stores the objects that are not there yet; all are durable at return.
    /// - Throws: ``RegistryError`` of the kind `.invalid` where one is missing in both.
    func storeObjects() async throws
}
