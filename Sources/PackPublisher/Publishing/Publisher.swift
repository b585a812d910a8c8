package import Foundation
import PackArchive
package import PackFormat
import PackRegistry
package import PackRegistryAPI
import PackTrust

/// Publishes package zips to any registry: it uploads missing objects, signs, and tries again if somebody else was
/// faster.
///
///     let publisher = Publisher(registry: registry, trust: trust, keys: keys)
///     let published = try await publisher.publish(zips)        // shared bundles first
///     try await registry.change(.offer(version, .everyone), of: package, on: beta)
///
/// The publisher signs here, never in the registry: it verifies the registry's role N, adds one line, and signs it as
/// N+1. If another publisher's N+1 came first, the registry reports a conflict and the step is repeated on top of it.
package struct Publisher: Sendable {
    /// How often somebody else may be faster.
    private static let maximumAttempts = 30
    /// How often in a row a conflict is met though nothing moved.
    private static let maximumStalls = 4

    package struct Published: Hashable, Sendable {
        package let manifest: Manifest
        package let outcome: PublishOutcome
        /// The size of the uploaded objects in bytes.
        package let sentSize: Int
        /// The number of uploaded objects.
        package let sentCount: Int

        /// - Parameter sent: the digests of the uploaded objects.
        fileprivate init(_ manifest: Manifest, _ outcome: PublishOutcome, sent: Set<PackFormat.Digest>) {
            let objects = manifest.ownObjects.filter { sent.contains($0.digest) }
            self.manifest = manifest
            self.outcome = outcome
            sentSize = objects.reduce(0) { $0 + $1.size }
            sentCount = objects.count
        }
    }

    let registry: any Registry
    let trust: PublisherTrust
    let keys: SigningKeys
    /// Where the packages come from; nil: they are published without provenance.
    let origin: BuildOrigin?
    private let now: @Sendable () -> Date

    package init(
        registry: any Registry, trust: PublisherTrust, keys: SigningKeys, origin: BuildOrigin? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.registry = registry
        self.trust = trust
        self.keys = keys
        self.origin = origin
        self.now = now
    }

    /// The same publisher, which verifies the registry in another way.
    package func verifying(by trust: PublisherTrust) -> Publisher {
        Publisher(registry: registry, trust: trust, keys: keys, origin: origin, now: now)
    }

    /// Publishes packages, the shared bundles first, because the other manifests pin them.
    /// - Parameter report: is told of each package when it starts.
    @discardableResult
    package func publish(
        _ zips: [URL], note: VersionNote = .none, report: (Manifest) -> Void = { _ in }
    ) async throws -> [Published] {
        try await publish(PackageSelection(zips), note: note, report: report)
    }

    /// Like ``publish(_:report:)``, for zips that are already open.
    @discardableResult
    package func publish(
        _ selection: PackageSelection, note: VersionNote = .none, report: (Manifest) -> Void = { _ in }
    ) async throws -> [Published] {
        // Everything is judged before the first upload.
        var isListed: Set<Digest> = []
        var delegated: [PackageID] = []
        for archive in selection.archives {
            let package = archive.manifest.package
            if try await self.isListed(archive.manifest, archive.sealed.digest) {
                isListed.insert(archive.sealed.digest)
            } else {
                if try await requireKey(for: package) { delegated.append(package) }
                try await requireProvenance(of: archive.sealed.name)
                // The registry refuses whose token may not publish it.
                if selection.archives.count > 1 { _ = try await registry.missingObjects(of: archive.sealed.bytes) }
            }
        }
        // Each signature of the owner lists all packages again, so many new ones get one. If somebody else signs at the same moment,
        // each package gets its own.
        if delegated.count > 1 {
            do { _ = try await delegateIfNeeded(delegated) } catch let error as RegistryError
                where error.kind == .conflict
            {}
        }
        var published: [Published] = []
        for archive in selection.archives {
            report(archive.manifest)
            published.append(
                isListed.contains(archive.sealed.digest)
                    ? try await restore(archive) : try await publish(archive, note))
        }
        return published
    }

    /// Sends what the registry lost of a version, or removed to save space. Who may not publish it, may release it all the same.
    private func restore(_ archive: PackageArchive) async throws -> Published {
        var missing: Set<PackFormat.Digest> = []
        do {
            missing = try await registry.missingObjects(of: archive.sealed.bytes)
        } catch let error as RegistryError where [.unauthorized, .forbidden].contains(error.kind) {}
        if !missing.isEmpty { _ = try await upload(archive, missing) }
        return Published(archive.manifest, .unchanged, sent: missing)
    }

    /// Withdraws a version by signing the package's role without it.
    package func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, consent: OfferConsent = []
    ) async throws {
        let path = ViewLayout.manifestTarget(package, version)
        let fault = RegistryError(.notFound, "\(package) \(version) is not published, or was withdrawn before")
        // Before anything is signed: the key of a package that is not there need not be delegated.
        _ = try await trust.refresh()
        guard let listed = try await trust.role(of: package), listed.body.targets[path] != nil else { throw fault }
        _ = try await signing(package) { role in
            guard role.targets[path] != nil else { throw fault }
            role.targets[path] = nil
            return true
        } submit: { bytes in
            try await registry.withdraw(version, of: package, reason: reason, role: bytes, consent: consent)
        }
    }

    private func publish(_ archive: PackageArchive, _ note: VersionNote) async throws -> Published {
        let manifest = archive.manifest
        let missing = try await registry.missingObjects(of: archive.sealed.bytes)
        let digest = try await upload(archive, missing)
        let path = ViewLayout.manifestTarget(manifest.package, manifest.version)
        let info = TargetInfo(of: archive.sealed.bytes)
        var outcome = PublishOutcome.published
        var note = note
        note.provenance = try origin?.envelope(of: archive.sealed, by: keys.publisher)
        let about = note
        let isNew = try await signing(manifest.package) { role in
            if let listed = role.targets[path] {
                guard listed == info else { throw Self.otherContent(manifest) }
                return false
            }
            role.targets[path] = info
            return true
        } submit: { bytes in
            outcome = try await registry.publish(manifest: digest, role: bytes, note: about)
        }
        return Published(manifest, isNew ? outcome : .unchanged, sent: missing)
    }

    /// Whether the version is there already with this content; with other content it is an error before anything is
    /// sent.
    func isListed(_ manifest: Manifest, _ digest: Digest) async throws -> Bool {
        _ = try await trust.refresh(to: .recent)
        let path = ViewLayout.manifestTarget(manifest.package, manifest.version)
        // Without a delegation there is no role to verify, and nothing published.
        guard let role = try? await trust.role(of: manifest.package), let listed = role.body.targets[path] else {
            return false
        }
        guard listed.hashes.sha256 == digest.hex else { throw Self.otherContent(manifest) }
        return true
    }

    private static func otherContent(_ manifest: Manifest) -> RegistryError {
        RegistryError(
            .conflict,
            "\(manifest.package) \(manifest.version) is published already with other content: a version never "
                + "changes, so give yours a new version number")
    }

    /// Changes a package's role and hands it in, again and again while others are faster.
    /// - Parameter change: false if there is nothing to do.
    private func signing(
        _ package: PackageID, change: (inout TargetsMetadata) throws -> Bool,
        submit: ([UInt8]) async throws -> Void
    ) async throws -> Bool {
        var attempt = 0
        var stalled = 0
        var seen: [Int] = []
        while true {
            attempt += 1
            do {
                // What was read a moment ago serves the first attempt. If it is old, the registry says so.
                let targets = try await delegateIfNeeded([package], as: attempt == 1 ? .recent : .newest)
                let current = try await trust.role(of: package)
                let versions = [targets.body.version, current?.body.version ?? 0]
                stalled = versions == seen ? stalled + 1 : 0
                seen = versions
                let expires = now().addingTimeInterval(MetadataLifetime.package)
                var role = current?.body ?? TargetsMetadata(expires: expires)
                guard try change(&role) else { return false }
                role.version = (current?.body.version ?? 0) + 1
                role.expires = expires
                let document = try SignedDocument(unsigned: role).signed(by: keys.publisher)
                try await submit(document.bytes)
                trust.forget()
                return true
            } catch let error as RegistryError where error.kind == .conflict {
                // Nobody was faster: the registry refuses for another reason. (The view may lag a moment behind.)
                guard attempt < Self.maximumAttempts, stalled < Self.maximumStalls else { throw error }
                // Two that collided wait differently long, or they would collide again.
                try await Task.sleep(for: .milliseconds(Int.random(in: 10...50) * attempt))
            }
        }
    }

    /// Reads the metadata. If a single developer also holds the owner's key, it delegates new packages to the publisher's key.
    private func delegateIfNeeded(
        _ packages: [PackageID], as state: PublisherTrust.State = .recent
    ) async throws -> SignedDocument<TargetsMetadata> {
        let (_, targets) = try await trust.refresh(to: state)
        let missing = Set(packages).filter { targets.body.delegations?.role(named: ViewLayout.role(of: $0)) == nil }
            .sorted()
        guard let package = missing.first else { return targets }
        guard !keys.owner.isEmpty else { throw Self.notDelegated(package) }
        let document = try targets.revised(
            expires: now().addingTimeInterval(MetadataLifetime.targets), signers: keys.owner
        ) { targets in
            for package in missing {
                try targets.delegate(
                    ViewLayout.role(of: package), to: keys.publisher.map(\.publicKey),
                    paths: [ViewLayout.manifestPaths(of: package)], isTerminating: true)
            }
        }
        do {
            try await registry.submit(metadata: document.bytes, role: TopLevelRole.targets.rawValue)
        } catch let error as RegistryError where error.kind == .forbidden {
            throw RegistryError(
                .forbidden,
                "the package \(package) is new, and letting a key publish it needs the admin right, which this token does "
                    + "not have. Once, on the registry's machine: packtool keys delegate \(package) --registry FOLDER, or with "
                    + "an admin token (packtool token create owner --admin); from then on this token is enough (\(error))"
            )
        }
        return try await trust.refresh().targets
    }

    static func notDelegated(_ package: PackageID) -> RegistryError {
        RegistryError(
            .forbidden,
            "the package \(package) is new and the app's owner has not delegated it to your key yet: they "
                + "run packtool keys delegate \(package) --key KEY, where KEY is what packtool keys generate publisher "
                + "printed for you, or publish it once themselves")
    }

    private func upload(_ archive: PackageArchive, _ missing: Set<Digest>) async throws -> Digest {
        let own = archive.manifest.ownObjects
        if missing.count == own.count { return try await registry.upload(archive: archive.archive.file) }
        let folder = try WorkFolder()
        let zip = folder.url.appending(path: "partial.zip", directoryHint: .notDirectory)
        try PartialArchive(archive: archive, keeping: missing, folder: folder.url).write(to: zip)
        let manifest = try await registry.upload(archive: zip)
        _ = consume folder
        return manifest
    }
}
