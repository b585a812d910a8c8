package import Foundation

/// What a server needs of a registry beyond the registry's own protocols: who a token is, and where files stand.
package protocol RegistryHost: Sendable {
    /// The folder of the published view.
    var viewFolder: URL { get }
    /// The folder in which uploads are kept while they arrive, on the file system of the view.
    var uploadFolder: URL { get }
    /// Who holds a token.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    func authenticate(_ secret: String) async throws -> Identity
    /// The registry on behalf of somebody: their right bounds what can be done, their name stands in the audit log.
    func registry(as identity: Identity) -> any Registry
}
