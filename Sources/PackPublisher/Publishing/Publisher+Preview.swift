import PackArchive
package import PackFormat
import PackRegistry
import PackRegistryAPI
import PackTrust

extension Publisher {
    /// What ``publish(_:note:report:)-(PackageSelection,_,_)`` would do with one package.
    package struct Intended: Hashable, Sendable {
        package let manifest: Manifest
        /// False if the version is there already with this content.
        package let isNew: Bool
        /// The objects that would be uploaded, and their size in bytes.
        package let sentCount: Int
        package let sentSize: Int
        /// Whether the owner's key would let the publisher's key publish the package first.
        package let delegates: Bool
    }

    /// What publishing would do. Nothing is uploaded and nothing is signed.
    /// - Throws: what publishing would throw: for other content under a version, a missing right, bundle or key.
    package func preview(_ selection: PackageSelection) async throws -> [Intended] {
        var intended: [Intended] = []
        var sent: Set<Digest> = []
        var published: [VersionName: PublishedVersion]?
        for archive in selection.archives {
            let manifest = archive.manifest
            guard try await !isListed(manifest, archive.sealed.digest) else {
                intended.append(Intended(manifest: manifest, isNew: false, sentCount: 0, sentSize: 0, delegates: false))
                continue
            }
            let missing = try await registry.missingObjects(of: archive.sealed.bytes).subtracting(sent)
            let objects = manifest.ownObjects.filter { missing.contains($0.digest) }
            let delegates = try await requireKey(for: manifest.package)
            try await requireProvenance(of: archive.sealed.name)
            if !manifest.shared.isEmpty {
                if published == nil { published = try await self.published(with: selection) }
                try await checkPins(of: manifest, published ?? [:], selection)
            }
            sent.formUnion(missing)
            intended.append(
                Intended(
                    manifest: manifest, isNew: true, sentCount: objects.count,
                    sentSize: objects.reduce(0) { $0 + $1.size }, delegates: delegates))
        }
        return intended
    }

    /// Whether a version may be withdrawn as far as the publisher decides that.
    package func requireWithdrawable(_ version: SemanticVersion, of package: PackageID) async throws {
        _ = try await trust.refresh()
        let path = ViewLayout.manifestTarget(package, version)
        guard let listed = try await trust.role(of: package), listed.body.targets[path] != nil else {
            throw RegistryError(.notFound, "\(package) \(version) is not published, or was withdrawn before")
        }
        _ = try await requireKey(for: package)
    }

    /// The owner may want to know how versions are built. The registry refuses the same, after the upload.
    func requireProvenance(of version: VersionName) async throws {
        guard try await trust.refresh(to: .recent).targets.body.requiresProvenance else { return }
        guard let origin else {
            throw RegistryError(
                .invalid, "the app's owner wants to know how versions are built: publish \(version) with --provenance")
        }
        guard origin.namesSources else { throw BuildProvenance.lacksSources(version) }
    }

    /// - Returns: whether the package is new, and the owner's key would delegate it.
    func requireKey(for package: PackageID) async throws -> Bool {
        let (_, targets) = try await trust.refresh(to: .recent)
        guard let authority = targets.body.authority(for: ViewLayout.role(of: package)) else {
            guard !keys.owner.isEmpty else { throw Self.notDelegated(package) }
            return true
        }
        let allowed = Set(authority.keys.entries.map(\.value))
        guard Set(keys.publisher.map(\.publicKey)).intersection(allowed).count >= authority.threshold else {
            let mine = keys.publisher.map { String($0.publicKey.id.prefix(16)) }.joined(separator: ", ")
            let others = authority.keys.names.map { String($0.prefix(16)) }.joined(separator: ", ")
            throw RegistryError(
                .forbidden,
                "your key \(mine) may not sign \(package): the app's owner has delegated it to \(others). Use that key, or let "
                    + "the owner run packtool keys delegate \(package) --key KEY")
        }
        return false
    }

    /// What is published of shared bundles, and what would be.
    private func published(with selection: PackageSelection) async throws -> [VersionName: PublishedVersion] {
        var published: [VersionName: PublishedVersion] = [:]
        let bundles = Set(selection.manifests.flatMap(\.shared.keys))
        for (package, versions) in try await registry.overview(of: bundles).versions {
            for version in versions {
                published[VersionName(package, version.version)] = PublishedVersion(
                    package: package, version: version.version, manifest: version.manifest, hasEntry: false,
                    withdrawn: version.withdrawn)
            }
        }
        for manifest in selection.manifests where manifest.entry == nil {
            published[VersionName(manifest.package, manifest.version)] = PublishedVersion(
                package: manifest.package, version: manifest.version, manifest: manifest.digest, hasEntry: false)
        }
        return published
    }

    private func checkPins(
        of manifest: Manifest, _ published: [VersionName: PublishedVersion], _ selection: PackageSelection
    ) async throws {
        var contents: [Digest: Manifest] = [:]
        for (bundle, pin) in manifest.shared {
            if let given = selection.manifests.first(where: { $0.digest == pin.manifest }) {
                contents[pin.manifest] = given
                continue
            }
            let path = ViewPath.manifest(bundle, pin.version, pin.manifest)
            guard let bytes = try await registry.viewFile(path, maximumByteCount: Manifest.maximumByteCount) else {
                continue
            }
            contents[pin.manifest] = try? Manifest(parsing: bytes)
        }
        try SharedPins(of: manifest).check(
            published: { published[VersionName($0, $1.version)] }, content: { contents[$0] })
    }
}
