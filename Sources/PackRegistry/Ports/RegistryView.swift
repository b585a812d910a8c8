package import Foundation
package import PackFormat

/// The view of a registry: the files for devices, which follow from its rows.
package protocol RegistryView: Sendable {
    /// Writes the recorded changes to the view, the timestamp last.
    func update() async throws

    /// Makes the full download of a version quickly, so that devices can install it.
    func addQuickDownload(ofManifest digest: Digest) async throws

    /// Nil if there is no such file.
    /// - Throws: ``RegistryError`` of the kind `.tooLarge` above the limit, `.invalid` for a path that leaves the view.
    func read(_ path: String, maximumByteCount: Int) async throws -> [UInt8]?

    /// - Returns: False if there is no such file.
    func copy(_ path: String, to destination: URL) async throws -> Bool
}
