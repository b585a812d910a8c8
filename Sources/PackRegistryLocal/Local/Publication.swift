import Foundation
import GRDB
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackTrust

/// The rules of publishing and withdrawing inside one transaction.
struct Publication {
    let db: Database
    let local: LocalRegistry
    let identity: Identity

    private var versions: VersionTable { VersionTable(db: db) }
    private var metadata: MetadataTable { MetadataTable(db: db) }

    /// A version, once published, never changes.
    /// - Returns: whether it is published already, with this content.
    @discardableResult
    func refuseOtherContent(_ manifest: Manifest, _ digest: Digest) throws -> Bool {
        guard let published = try versions.published(manifest.package, manifest.version) else { return false }
        let name = "\(manifest.package) \(manifest.version)"
        guard published.manifest == digest else {
            throw RegistryError(
                .conflict,
                "\(name) is published already with other content (its manifest is \(published.manifest), "
                    + "yours is \(digest)): a version never changes, so give yours a new version number")
        }
        if let reason = published.withdrawn {
            throw RegistryError(.conflict, "\(name) was withdrawn (\(reason)): publish a new version")
        }
        return true
    }

    func publish(
        _ digest: Digest, role: [UInt8], signer: MetadataSigner, audit: AuditTable
    ) throws -> PublishOutcome {
        guard let bytes = try versions.manifestBytes(digest), let manifest = try versions.manifest(digest) else {
            throw RegistryError(.notFound, "nothing was uploaded with the manifest \(digest): upload the package first")
        }
        try identity.require(.publish, package: manifest.package)
        if try refuseOtherContent(manifest, digest) { return .unchanged }
        try checkPins(of: manifest)
        let missing = local.store.missing(among: manifest.ownObjects)
        guard missing.isEmpty else {
            throw RegistryError(
                .invalid,
                "\(missing.count) files of \(manifest.package) \(manifest.version) are not in the registry: "
                    + "upload the package again")
        }
        let document = try judge(manifest.package).judge(
            role, change: .publish(manifest.version, manifest: digest, length: bytes.count))
        try metadata.put(document, as: ViewLayout.role(of: manifest.package))
        try versions.publish(manifest, digest: digest, by: identity, now: signer.now)
        try WorkTable(db: db).add(manifest.package)
        try audit.append(
            "publish", "\(manifest.package)@\(manifest.version)", "manifest \(digest)", by: identity, now: signer.now)
        try signer.seal()
        return .published
    }

    func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8], signer: MetadataSigner,
        audit: AuditTable
    ) throws {
        guard (1...500).contains(reason.utf8.count),
            reason.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw RegistryError(.invalid, "a withdrawal needs a reason: 1 to 500 bytes, one line") }
        guard let published = try versions.published(package, version) else {
            throw RegistryError(.notFound, "\(package) \(version) is not published")
        }
        if let earlier = published.withdrawn {
            throw RegistryError(.conflict, "\(package) \(version) is withdrawn already (\(earlier))")
        }
        let users = try versions.users(ofBundle: published.manifest)
        guard users.isEmpty else {
            throw RegistryError(
                .conflict,
                "\(package) \(version) is a shared bundle, without which devices cannot install "
                    + "\(users.prefix(5).joined(separator: ", "))\(users.count > 5 ? " and \(users.count - 5) more" : ""): "
                    + "withdraw \(users.count == 1 ? "it" : "them") first")
        }
        let document = try judge(package).judge(role, change: .withdraw(version))
        try metadata.put(document, as: ViewLayout.role(of: package))
        try versions.withdraw(package, version, reason: reason)
        try WorkTable(db: db).add(package)
        let releases = ReleaseTable(db: db)
        var changed: [ChannelName] = []
        for channel in try releases.channels() {
            let steps = try releases.history(of: package, on: channel).withdrawing(published.manifest)
            guard !steps.isEmpty else { continue }
            try releases.apply(steps, of: package, on: channel, by: identity, now: signer.now)
            changed.append(channel)
        }
        try audit.append("withdraw", "\(package)@\(version)", reason, by: identity, now: signer.now)
        if !changed.isEmpty { try signer.signChannels(changed, changing: package) }
        try signer.seal()
    }

    /// Who may sign a package's role, and what it says now.
    func judge(_ package: PackageID) throws -> RoleJudge {
        let role = ViewLayout.role(of: package)
        let targets: SignedDocument<TargetsMetadata> = try metadata.required(TopLevelRole.targets.rawValue)
        guard let authority = targets.body.authority(for: role) else {
            throw RegistryError(
                .forbidden,
                "the app's owner has not delegated the package \(package) to any key: packtool keys delegate "
                    + "\(package), with the owner's key at hand")
        }
        return RoleJudge(
            package: package, authority: authority, current: try metadata.newest(role), now: local.clock())
    }

    /// The files that come from shared bundles must be there for the device to find.
    private func checkPins(of manifest: Manifest) throws {
        for (bundle, pin) in manifest.shared.sorted(by: { $0.key < $1.key }) {
            let name = "\(bundle) \(pin.version)"
            guard let published = try versions.published(bundle, pin.version), published.manifest == pin.manifest,
                let content = try versions.manifest(pin.manifest)
            else {
                throw RegistryError(
                    .invalid,
                    "\(manifest.package) \(manifest.version) needs the shared bundle \(name) (manifest "
                        + "\(pin.manifest)), which is not published: publish the bundle first")
            }
            if let reason = published.withdrawn {
                throw RegistryError(
                    .invalid,
                    "\(manifest.package) \(manifest.version) needs the shared bundle \(name), which was "
                        + "withdrawn (\(reason)): build again without it")
            }
            let objects = Set(content.ownObjects)
            for (path, file) in manifest.files where file.from == bundle {
                guard objects.contains(Object(digest: file.digest, size: file.size)) else {
                    throw RegistryError(
                        .invalid, "\"\(path)\" is said to come from the shared bundle \(name), which does not have it")
                }
            }
        }
    }
}
