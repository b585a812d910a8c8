package import Foundation
package import PackFormat
package import PackRegistryAPI

/// What a server needs from a registry beyond the registry's own protocols: the identity of a token, the places of
/// files, and two small queries for devices and pages.
package protocol RegistryHost: Sendable {
    /// The app that the registry belongs to.
    var app: String { get }
    /// The folder of the published view. A server reads it past the ``ViewStore``: it sends files from the disk, and notices a
    /// replaced file by its state. Of a view elsewhere it has copies.
    var viewFolder: URL { get }
    /// Copies a file of a view that is elsewhere into ``viewFolder``, if it is not there.
    /// - Parameter path: relative to the folder.
    /// - Returns: false if there is no such file.
    /// - Throws: ``RegistryError`` if it cannot be had now.
    func fetch(_ path: String) async throws -> Bool
    /// A URL at which anybody reads a file of a view that is elsewhere, to be begun within some seconds.
    /// - Returns: nil if there is no such file, or the view is in ``viewFolder``.
    /// - Throws: ``RegistryError`` if the storage cannot be asked.
    func readingURL(of path: ViewPath, seconds: Int) async throws -> String?
    /// The folder for incoming uploads, on the same file system as the view.
    var uploadFolder: URL { get }
    /// The folder for zips that a server makes for clients of other systems. It may be removed at any time.
    var siteArchiveFolder: URL { get }
    /// The identity of a token's holder.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` for an unknown, expired or revoked one.
    func authenticate(_ secret: String) async throws -> Identity
    /// The trusts for id tokens of an issuer.
    func trusts(in issuer: String) async throws -> [TokenTrust]
    /// An access token for a CI job.
    /// - Parameter trust: the id of the trust, where the job may have several.
    /// - Throws: ``RegistryError`` of the kind `.unauthorized` where no trust admits the job, `.conflict` where the id token was
    ///   exchanged before.
    func exchange(_ token: IDToken, trust: String?) async throws -> CreatedToken
    /// The registry on behalf of an identity, whose rights limit the actions and whose name the audit log records.
    func registry(as identity: Identity) -> any Registry
    /// The manifest of a published version; nil if there is none, or it was withdrawn.
    func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest?
    /// What a channel offers; nil if nothing was ever offered on it.
    func channelFile(_ channel: ChannelName) async throws -> ChannelFile?
    /// Makes a patch if a device may request it.
    /// - Returns: whether it is there now.
    /// - Throws: ``RegistryError`` of the kind `.busy` where more is asked for than can be made.
    func makePatch(at path: ViewPath) async throws -> Bool
    /// The store of what devices report; nil if the host keeps none.
    var reports: (any ReportStore)? { get }
    /// The registry's clock.
    var now: Date { get }
    /// Every version that a channel ever offered.
    func offeredVersions() async throws -> OfferedVersions
    /// What an operator's monitor asks.
    func operations() async throws -> RegistryOperations
}

extension RegistryHost {
    /// A host that only serves files trusts nobody.
    package func trusts(in issuer: String) async throws -> [TokenTrust] { [] }
    package func exchange(_ token: IDToken, trust: String?) async throws -> CreatedToken {
        throw RegistryError(.unauthorized, "this registry trusts no issuer")
    }

    /// A host whose whole view is in the folder has nothing else.
    package func fetch(_ path: String) async throws -> Bool { false }

    /// A host whose whole view is in the folder has no other place.
    package func readingURL(of path: ViewPath, seconds: Int) async throws -> String? { nil }

    /// A host that only serves files makes no patches.
    package func makePatch(at path: ViewPath) async throws -> Bool { false }

    package var siteArchiveFolder: URL {
        viewFolder.deletingLastPathComponent().appending(path: "sites", directoryHint: .isDirectory)
    }

    /// A host that only serves files keeps no reports.
    package var reports: (any ReportStore)? { nil }
    package func offeredVersions() async throws -> OfferedVersions { OfferedVersions() }
    package var now: Date { Date() }

    /// A host that only serves files has nothing to tell.
    package func operations() async throws -> RegistryOperations { RegistryOperations() }
}
