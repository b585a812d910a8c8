import Foundation
import PackFormat
import Synchronization

@testable import PackRegistry
@testable import PackRegistryAPI

/// A host with a view of plain files and made-up tokens: what a server does with requests needs no more.
final class FolderHost: RegistryHost {
    let folder: URL
    let app = "shop"
    let tokens: [String: Identity]
    let manifests = Mutex<[String: Manifest]>([:])
    let releases = Mutex<[String: [Release]]>([:])
    let uploads = Mutex<[[UInt8]]>([])
    /// How long the database keeps everybody waiting before it does not answer; nil while it answers.
    let outage = Mutex<Duration?>(nil)

    var viewFolder: URL { folder.appending(path: "view") }
    var uploadFolder: URL { folder.appending(path: "uploads") }

    init(_ files: [String: [UInt8]] = [:], tokens: [String: Identity] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "packtool-\(UUID().uuidString)")
        self.tokens = tokens
        for path in ["view/metadata", "uploads"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: path), withIntermediateDirectories: true)
        }
        for (path, bytes) in files { try write(bytes, to: path) }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Puts a file into the view.
    func write(_ bytes: [UInt8], to path: String) throws {
        let file = viewFolder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file, options: .atomic)
    }

    /// Puts a site's files into the view as objects, and its manifest where sites are looked up.
    func publish(_ manifest: Manifest, _ contents: [[UInt8]]) throws {
        for bytes in contents { try write(bytes, to: ViewPath.object(Digest(of: bytes)).description) }
        manifests.withLock { $0["\(manifest.package)@\(manifest.version)"] = manifest }
    }

    func authenticate(_ secret: String) async throws -> Identity {
        guard let identity = tokens[secret] else { throw RegistryError(.unauthorized, "the token is not known") }
        return identity
    }

    func registry(as identity: Identity) -> any Registry { KeepingRegistry(host: self) }

    func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest? {
        try await reachDatabase()
        return manifests.withLock { $0["\(package)@\(version)"] }
    }

    func operations() async throws -> RegistryOperations {
        try await reachDatabase()
        return RegistryOperations()
    }

    private func reachDatabase() async throws {
        guard let time = outage.withLock({ $0 }) else { return }
        try await Task.sleep(for: time)
        throw RegistryError(.unreachable, "postgres://packtool@db.internal/registry cannot be reached: it is away")
    }

    func channelFile(_ channel: ChannelName) async throws -> ChannelFile? {
        let offered = releases.withLock { $0 }.filter { $0.key.hasSuffix("@\(channel)") }
        guard !offered.isEmpty else { return nil }
        let packages = try offered.map { key, releases in
            try (PackageID(String(key.prefix { $0 != "@" })), ChannelFile.Package(releases: releases))
        }
        return ChannelFile(app: app, channel: channel, packages: Dictionary(uniqueKeysWithValues: packages))
    }

    /// The names in the upload folder.
    func leftovers() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: uploadFolder.path) }
}

/// Keeps uploads in memory, and has nothing else.
struct KeepingRegistry: Registry {
    let host: FolderHost

    func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
        RegistryOverview(app: host.app, versions: [:], channels: [:])
    }
    func channelFile(_ channel: ChannelName, at time: Date?) async throws -> ChannelFile? { nil }
    func planProgress(
        of package: PackageID, on channel: ChannelName, at time: Date?
    ) async throws -> [String: PlanProgress] { [:] }
    func viewFile(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]? { nil }
    func copyViewFile(_ path: ViewPath, to file: URL) async throws -> Bool { false }
    func missingObjects(of manifest: [UInt8]) async throws -> Set<Digest> { [] }

    func upload(archive: URL) async throws -> Digest {
        let bytes = try [UInt8](Data(contentsOf: archive))
        host.uploads.withLock { $0.append(bytes) }
        return Digest(of: bytes)
    }

    func publish(manifest: Digest, role: [UInt8], note: VersionNote) async throws -> PublishOutcome {
        throw RegistryError(.conflict, "the version is there with other content")
    }

    func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8], consent: OfferConsent
    )
        async throws
    {
        throw RegistryError(.full, "the disk is full")
    }

    func submit(metadata: [UInt8], role: String) async throws { throw RegistryError(.busy, "later") }

    func change(_ setting: ChannelSetting, on channel: ChannelName) async throws -> SettingOutcome {
        SettingOutcome(isChanged: false, settings: ChannelSettings())
    }

    func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        ChannelOutcome(isChanged: false, releases: [])
    }

    func release(_ set: ReleaseSet, on channel: ChannelName) async throws -> ReleaseSetOutcome {
        ReleaseSetOutcome(isChanged: false, set: nil, releases: [:])
    }

    func rollout(
        _ request: RolloutRequest, of package: PackageID, on channel: ChannelName
    ) async throws -> RolloutOutcome {
        throw RegistryError(.conflict, "there is no plan")
    }

    func rollouts(of package: PackageID?) async throws -> [RolloutStatus] { [] }
    func runRollouts() async throws -> RolloutRun { RolloutRun(actions: [], failures: [], next: nil) }

    func propose(_ proposal: ChangeProposal) async throws -> ChangeOutcome {
        throw RegistryError(.needsApproval, "the channel requires approvals")
    }

    func changes(_ filter: ChangeFilter) async throws -> ProposedChanges { ProposedChanges(changes: [], required: [:]) }

    func vote(_ vote: ChangeVote, on id: Int) async throws -> ChangeOutcome {
        throw RegistryError(.notFound, "there is no change \(id)")
    }

    func preview(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, assuming versions: [AssumedVersion],
        counting counts: Bool
    ) async throws -> ChannelOutcome {
        ChannelOutcome(isChanged: false, releases: [])
    }

    func preview(
        _ set: ReleaseSet, on channel: ChannelName, assuming versions: [AssumedVersion], counting counts: Bool
    ) async throws -> ReleaseSetOutcome {
        ReleaseSetOutcome(isChanged: false, set: nil, releases: [:])
    }

    func previewWithdrawal(
        of version: SemanticVersion, of package: PackageID, reason: String
    ) async throws -> [ChannelName: ChannelOutcome] { [:] }

    func createToken(_ request: TokenRequest) async throws -> CreatedToken {
        throw RegistryError(.invalid, "a name is missing")
    }

    func tokens() async throws -> [TokenRecord] { [] }
    func provenance(of version: VersionName) async throws -> [UInt8]? { nil }

    func createTrust(_ request: TrustRequest) async throws -> TokenRecord {
        throw RegistryError(.invalid, "this registry trusts nobody")
    }
    func revokeToken(id: String) async throws -> Bool { false }
    func auditLog(_: AuditQuery) async throws -> [AuditEntry] { throw URLError(.unknown) }

    func stats(_ query: StatsQuery) async throws -> ReportStats {
        ReportStats(channel: query.channel, from: 0, to: 0, step: 3600, window: 3600)
    }

    func reports(of sender: ReportID) async throws -> [DeviceEvent] { [] }
    func deleteReports(of sender: ReportID) async throws -> Int { 0 }

    func addWebhook(_ request: WebhookRequest) async throws -> CreatedWebhook {
        throw RegistryError(.notFound, "there are no webhooks")
    }

    func webhooks() async throws -> [Webhook] { [] }
    func removeWebhook(id: String) async throws -> Bool { false }
    func testWebhook(id: String) async throws -> String? { nil }
    func deadLetters() async throws -> [DeadLetter] { [] }
    func retryDeadLetters() async throws -> Int { 0 }
}
