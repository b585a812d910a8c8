package import Foundation
package import PackFormat

/// A registry of one app: a folder on this machine, or a server over HTTP.
///
/// Both implementations, `LocalRegistry` and `RemoteRegistry`, pass one test suite. Reading, publishing, releasing,
/// keys and administration are separate protocols, because different people hold the right to them.
///
///     let registry: any Registry = local.registry(as: identity)
///     let missing = try await registry.missingObjects(of: manifest)
///     let digest = try await registry.upload(archive: zip)
///     try await registry.publish(manifest: digest, role: signedRole, note: .none)
///     try await registry.change(.offer(version, .everyone), of: package, on: beta)
package typealias Registry = RegistryReading & RegistryPublishing & RegistryReleasing & RegistryTrusting
    & RegistryAdministration & RegistryRollouts & RegistryApprovals & RegistryObserving & RegistryPreviewing
    & RegistryWebhooks

package protocol RegistryReading: Sendable {
    /// Published versions and all releases, for `packtool status` and reports.
    /// - Parameter packages: those whose versions are told; nil: of all packages, which may be many megabytes.
    func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview

    /// What a channel offers, or offered at a moment; nil if nothing had been offered on it by then.
    func channelFile(_ channel: ChannelName, at time: Date?) async throws -> ChannelFile?

    /// Where the plans of a package's releases are, or were at a moment, by the releases' ids.
    func planProgress(
        of package: PackageID, on channel: ChannelName, at time: Date?
    ) async throws -> [String: PlanProgress]

    /// Reads one file of the published view; nil if it does not exist.
    /// - Parameter maximumByteCount: a longer file is an error, found before it is in memory.
    func viewFile(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]?

    /// Copies one file of the published view, such as a package zip, to a local file; false if it does not exist.
    func copyViewFile(_ path: ViewPath, to file: URL) async throws -> Bool
}

extension RegistryReading {
    /// All published versions and all releases.
    package func overview() async throws -> RegistryOverview { try await overview(of: nil) }
}

package protocol RegistryPublishing: Sendable {
    /// The manifest's own objects that the registry does not have yet.
    func missingObjects(of manifest: [UInt8]) async throws -> Set<Digest>

    /// Uploads a package zip, which may leave out files that the registry already has. The registry verifies every
    /// byte against the `pack.json` inside, stores the objects and the manifest, and publishes nothing yet.
    /// - Returns: the digest of the manifest.
    func upload(archive: URL) async throws -> Digest

    /// Makes an uploaded version public: the publisher's signed role must list its manifest. Publishing the same
    /// content again changes nothing; other content under the same version is refused (`.conflict`). If somebody else
    /// has published meanwhile, the error is `.conflict` too: read the role again, add to it, sign it, and call this
    /// again.
    func publish(manifest: Digest, role: [UInt8], note: VersionNote) async throws -> PublishOutcome

    /// The signed envelope in which a publisher said how a version was built (``BuildProvenance``); nil without one.
    func provenance(of version: VersionName) async throws -> [UInt8]?

    /// Stores the publisher's newer role that no longer lists a version's manifest, and stops offering the version on
    /// every channel. Devices refuse it from then on, whatever a channel says.
    /// - Parameter consent: what the caller accepts of what devices go to instead.
    func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8], consent: OfferConsent
    ) async throws
}

package protocol RegistryTrusting: Sendable {
    /// Stores newer signed metadata: `root`, `targets`, or a package's role that lists the same manifests (for a
    /// delegation, a rotation or a later expiry).
    func submit(metadata: [UInt8], role: String) async throws
}

package protocol RegistryReleasing: Sendable {
    /// Changes what a channel offers for one package and signs the channel anew.
    /// A package whose release is of a set is changed with all of the set.
    func change(_ change: ChannelChange, of package: PackageID, on channel: ChannelName) async throws -> ChannelOutcome

    /// Offers several packages as one, in one commit and one channel file.
    func release(_ set: ReleaseSet, on channel: ChannelName) async throws -> ReleaseSetOutcome

    /// Changes what a channel tells its devices beside releases, and signs the channel anew.
    func change(_ setting: ChannelSetting, on channel: ChannelName) async throws -> SettingOutcome
}

package protocol RegistryAdministration: Sendable {
    /// Creates an access token. Its text is returned once; only its hash is stored.
    func createToken(_ request: TokenRequest) async throws -> CreatedToken
    /// Trusts an issuer of id tokens for jobs.
    func createTrust(_ request: TrustRequest) async throws -> TokenRecord
    func tokens() async throws -> [TokenRecord]
    /// Revokes a token; false if there is no such token.
    func revokeToken(id: String) async throws -> Bool
    /// The audit log: who did what, newest first.
    func auditLog(_ query: AuditQuery) async throws -> [AuditEntry]
}

extension RegistryAdministration {
    /// The newest entries of the audit log.
    package func auditLog(limit: Int) async throws -> [AuditEntry] { try await auditLog(AuditQuery(limit: limit)) }
}

package protocol RegistryObserving: Sendable {
    /// What the devices of a channel reported: adoption, failures, savings.
    func stats(_ query: StatsQuery) async throws -> ReportStats
    /// The stored events of one report id, in the order of their sequence.
    func reports(of sender: ReportID) async throws -> [DeviceEvent]
    /// Deletes what a report id sent. Counts that name nobody stay.
    /// - Returns: how many events were deleted.
    func deleteReports(of sender: ReportID) async throws -> Int
}
