package import PackFormat
package import PackRegistryAPI
package import PackTrust

/// The parts of a registry that a ``FactsQuery`` names, as of one moment.
package struct RegistryFacts: Sendable {
    /// The versions of the signed documents that every change that devices see replaces, and the newest event of a
    /// release. A change that was decided by these facts is recorded only while they are still the newest.
    package struct Base: Hashable, Sendable {
        package let root: Int
        package let timestamp: Int
        /// The number of the newest event of a release: a rollout is paused, for one, without a new document.
        package let event: Int
        /// The number of the newest event of a proposed change, which signs nothing either.
        package let approval: Int

        package init(root: Int, timestamp: Int, event: Int = 0, approval: Int = 0) {
            self.root = root
            self.timestamp = timestamp
            self.event = event
            self.approval = approval
        }
    }

    /// A package on a channel that has a plan.
    package struct OpenRollout: Hashable, Sendable {
        package let package: PackageID
        package let channel: ChannelName

        package init(package: PackageID, channel: ChannelName) {
            self.package = package
            self.channel = channel
        }
    }

    package struct Token: Hashable, Sendable {
        package let record: TokenRecord
        package let hash: Digest

        package init(record: TokenRecord, hash: Digest) {
            self.record = record
            self.hash = hash
        }
    }

    /// The app that the registry belongs to.
    package let app: String
    package var base = Base(root: 0, timestamp: 0)
    /// The newest signed documents, by role.
    package var documents: [String: [UInt8]] = [:]
    /// The newest version of every existing role.
    package var roleVersions: [String: Int] = [:]
    package var documentVersions: [DocumentID: [UInt8]] = [:]
    package var channelBytes: [Digest: [UInt8]] = [:]
    package var manifests: [Digest: [UInt8]] = [:]
    package var versions: [VersionName: PublishedVersion] = [:]
    /// Versions such as `shop 1.2.0`.
    package var usersOfBundle: [String] = []
    package var histories: [ChannelName: ReleaseHistory] = [:]
    /// Of ``FactsQuery/Companions``, its own packages included.
    package var companions: [ChannelName: [PackageID: ReleaseHistory]] = [:]
    package var channelFiles: [ChannelName: ChannelFile] = [:]
    /// The number of the next release in the registry.
    package var nextRelease = 1
    package var channelNames: [ChannelName] = []
    package var packageNames: [PackageID] = []
    /// The package's versions, newest first.
    package var versionNames: [SemanticVersion] = []
    /// Oldest release first.
    package var rollouts: [PlannedRelease] = []
    package var openRollouts: [OpenRollout] = []
    package var missingObjects: Set<Digest> = []
    /// Objects that nothing refers to, and that are still to be removed.
    package var objectsToRemove: Set<Digest> = []
    package var keptDocuments: [DocumentID] = []
    package var keptChannelFiles: Set<Digest> = []
    package var publishedManifests: [ViewPath] = []
    package var oldestManifest: ViewPath?
    package var tokens: [Token] = []
    package var provenance: [UInt8]?
    /// How many approvals each channel requires; without an entry none were ever required.
    package var requiredApprovals: [ChannelName: Int] = [:]
    /// All events of the changes that were asked for, oldest first.
    package var approvalEvents: [ApprovalEvent] = []
    /// The number of the next proposed change in the registry.
    package var nextChange = 1
    package var audit: [AuditEntry] = []

    package init(app: String) {
        self.app = app
    }

    /// The newest document of a role; nil if there is none.
    /// - Throws: ``RegistryError`` of the kind `.unusable` if the bytes are not metadata because the store was
    ///   edited.
    package func newest<Body: RoleMetadata>(
        _ role: String, as body: Body.Type = Body.self
    ) throws(RegistryError) -> SignedDocument<Body>? {
        guard let bytes = documents[role] else { return nil }
        do { return try SignedDocument(parsing: bytes, name: role) } catch {
            throw .damaged("the metadata of \(role)", error)
        }
    }

    package func required<Body: RoleMetadata>(
        _ role: String, as body: Body.Type = Body.self
    ) throws(RegistryError) -> SignedDocument<Body> {
        guard let document: SignedDocument<Body> = try newest(role) else {
            throw RegistryError(
                .unusable, "the registry has no metadata for the role \(role): restore it from a backup")
        }
        return document
    }

    /// - Throws: ``RegistryError`` of the kind `.unusable` if a stored manifest does not match its digest.
    package func manifest(_ digest: Digest) throws(RegistryError) -> Manifest? { try sealedManifest(digest)?.manifest }

    /// ``manifest(_:)`` with its bytes.
    package func sealedManifest(_ digest: Digest) throws(RegistryError) -> SealedManifest? {
        guard let bytes = manifests[digest] else { return nil }
        guard Digest(of: bytes) == digest else { throw .damaged("the manifest \(digest)", nil) }
        do {
            return SealedManifest(try Manifest(parsing: bytes), bytes: bytes, digest: digest)
        } catch {
            throw .damaged("the manifest \(digest)", error)
        }
    }
}

extension RegistryError {
    fileprivate static func damaged(_ what: String, _ reason: (any Error)?) -> RegistryError {
        RegistryError(
            .unusable,
            "the registry's database is damaged: \(what) is not valid\(reason.map { " (\($0))" } ?? ""). Restore "
                + "it from a backup")
    }
}
