package import Foundation
package import PackFormat

/// What devices see of a registry: files that follow from its rows.
package protocol RegistryView: Sendable {
    /// Shows what was recorded, the timestamp last.
    func update() async throws

    /// Makes what a version needs to be installed in a hurry: its full download.
    func addQuickDownload(ofManifest digest: Digest) async throws

    /// nil where there is no such file.
    /// - Throws: ``RegistryError`` of the kind `.tooLarge` above the limit, `.invalid` for a path that leaves the view.
    func read(_ path: String, maximumByteCount: Int) async throws -> [UInt8]?

    /// - Returns: false where there is no such file.
    func copy(_ path: String, to destination: URL) async throws -> Bool
}
