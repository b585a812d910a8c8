package import Foundation
package import PackFormat
package import PackRegistryAPI

/// The bytes of a registry's objects.
package protocol ContentStore: Sendable {
    /// The objects of this list that are missing, or there with another size.
    func missing(among objects: [Object]) async throws -> Set<Digest>

    /// Of objects that the registry has recorded, those that the store need not be asked for. One that is far away answers slowly, and
    /// has what was recorded, unless somebody removed it behind the registry's back.
    func believed(among recorded: [Object]) -> Set<Digest>

    /// Of objects that the registry has not recorded, those that are sent without asking the store for them: they are most likely not
    /// there, and sending a small one costs no more than the question.
    func unlikely(among unrecorded: [Object]) -> Set<Digest>

    /// Opens a package zip, which may leave out objects.
    /// - Throws: ``RegistryError`` of the kind `.invalid` for a file that is no sound package.
    func open(archive: URL) async throws -> any UploadedArchive
}

extension ContentStore {
    /// None: a store that is near is asked for all.
    package func believed(among recorded: [Object]) -> Set<Digest> { [] }

    package func unlikely(among unrecorded: [Object]) -> Set<Digest> { [] }
}

/// A package zip whose manifest was read and whose objects are not stored yet.
package protocol UploadedArchive: Sendable {
    var sealed: SealedManifest { get }

    /// Verifies the missing objects and stores them. All are durable when it returns.
    /// - Parameter recorded: the objects that the registry has recorded. Of others the store finds out anew whether they are there:
    ///   they may have been removed since it was asked.
    /// - Throws: ``RegistryError`` of the kind `.invalid` where one is missing in both.
    func storeObjects(recorded: [Object]) async throws
}

extension RegistryError {
    /// The refusal of a package zip whose objects are missing in it and in the store.
    /// - Parameters:
    ///   - digests: of these objects.
    ///   - paths: what the zip leaves out.
    package static func leftOut(_ digests: Set<Digest>, of manifest: Manifest, among paths: [PackagePath])
        -> RegistryError
    {
        let path = paths.first { manifest.files[$0].map { digests.contains($0.digest) } ?? false }
        return RegistryError(
            .invalid,
            "the upload leaves out \(digests.count) files that the registry does not have, such as "
                + "\"\(path?.text ?? "?")\": send the whole package")
    }
}
