package import Foundation
package import PackFormat
package import PackRegistryAPI

/// What a server needs of a registry beyond the registry's own protocols: who a token is, where files stand, and the
/// two small questions that devices and pages ask.
package protocol RegistryHost: Sendable {
    /// The app that the registry belongs to.
    var app: String { get }
    /// The folder of the published view.
    var viewFolder: URL { get }
    /// The folder in which uploads are kept while they arrive, on the file system of the view.
    var uploadFolder: URL { get }
    /// Who holds a token.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    func authenticate(_ secret: String) async throws -> Identity
    /// The registry on behalf of somebody: their right bounds what can be done, their name stands in the audit log.
    func registry(as identity: Identity) -> any Registry
    /// The manifest of a published version; nil where there is none, or it was withdrawn.
    func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest?
    /// What a channel offers; nil where nothing was ever offered on it.
    func channelFile(_ channel: ChannelName) async throws -> ChannelFile?
    /// Makes the patch of this path of the view, where a device may ask for it.
    /// - Returns: whether it is there now.
    /// - Throws: ``RegistryError`` of the kind `.busy` where more is asked for than can be made.
    func makePatch(at path: String) async throws -> Bool
}

extension RegistryHost {
    /// A host that only shows files makes none.
    package func makePatch(at path: String) async throws -> Bool { false }
}
