package import Foundation
package import PackFormat

/// A registry of one app: a folder that is opened in place, or a server reached over HTTP.
///
/// Both implementations, `LocalRegistry` and `RemoteRegistry`, pass one test suite. Reading, publishing, releasing,
/// keys and administration are separate protocols, because different people hold the right to them.
///
///     let registry: any Registry = local.registry(as: identity)
///     let missing = try await registry.missingObjects(of: manifest)
///     let digest = try await registry.upload(archive: zip)
///     try await registry.publish(manifest: digest, role: signedRole)
///     try await registry.change(.offer(version, .everyone), of: package, on: beta)
package typealias Registry = RegistryReading & RegistryPublishing & RegistryReleasing & RegistryTrusting
    & RegistryAdministration

package protocol RegistryReading: Sendable {
    /// Everything that is published and released, for `packtool status` and reports.
    func overview() async throws -> RegistryOverview

    /// Reads one file of the published view (`metadata/…`, `targets/…`); nil where there is none.
    /// - Parameter maximumByteCount: a longer file is an error, found before it is in memory.
    func viewFile(_ path: String, maximumByteCount: Int) async throws -> [UInt8]?

    /// Copies one file of the published view to a local file, such as a package zip; false where there is none.
    func copyViewFile(_ path: String, to file: URL) async throws -> Bool
}

package protocol RegistryPublishing: Sendable {
    /// Which of a manifest's own objects the registry does not have yet.
    func missingObjects(of manifest: [UInt8]) async throws -> Set<Digest>

    /// Takes a package zip in which files that the registry already has may be left out. Verifies every byte
    /// against the `pack.json` inside, stores the objects and the manifest, and publishes nothing yet.
    /// - Returns: the digest of the manifest.
    func upload(archive: URL) async throws -> Digest

    /// Makes an uploaded version public: the publisher's signed role must list its manifest.
    /// The same content again is a no-op; other content under the same version is refused (`.conflict`).
    /// `.conflict` also when somebody else published meanwhile: read the role again, add to it, sign, come back.
    func publish(manifest: Digest, role: [UInt8]) async throws -> PublishOutcome

    /// Takes the publisher's newer role that no longer lists a version's manifest, and stops offering the version
    /// on every channel. Devices refuse it from then on, whatever a channel says.
    func withdraw(_ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8]) async throws
}

package protocol RegistryTrusting: Sendable {
    /// Takes a newer signed metadata file: `root`, `targets` or a package's role that lists the same manifests
    /// (delegation, rotation, a later expiry).
    func submit(metadata: [UInt8], role: String) async throws
}

package protocol RegistryReleasing: Sendable {
    /// Changes what a channel offers for one package and signs the channel anew.
    func change(_ change: ChannelChange, of package: PackageID, on channel: ChannelName) async throws -> ChannelOutcome
}

package protocol RegistryAdministration: Sendable {
    /// Makes an access token. Its text is returned once; only its hash is kept.
    func createToken(_ request: TokenRequest) async throws -> CreatedToken
    func tokens() async throws -> [TokenRecord]
    /// False where there is no such token.
    func revokeToken(id: String) async throws -> Bool
    /// Who did what, newest first.
    func auditLog(limit: Int) async throws -> [AuditEntry]
}
