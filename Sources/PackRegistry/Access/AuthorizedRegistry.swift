package import Foundation
package import PackFormat
package import PackRegistryAPI
import PackTrust

/// A registry with the rights of one identity, whose name the audit log records. Every right is checked here.
package struct AuthorizedRegistry: Registry {
    let services: RegistryServices
    let identity: Identity

    package init(_ services: RegistryServices, as identity: Identity) {
        self.services = services
        self.identity = identity
    }
}

extension AuthorizedRegistry {
    package func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
        try await services.store.overview(of: packages).visible(to: identity.scope)
    }

    package func channelFile(_ channel: ChannelName, at time: Date?) async throws -> ChannelFile? {
        let now = services.clock()
        if let time, time > now {
            throw RegistryError(
                .invalid,
                "\(WireTime.text(time)) is in the future (it is \(WireTime.text(now)) now), and what \(channel) offers then is not "
                    + "known. Leave the time out for what it offers now; packtool rollout status PACKAGE tells the dates of "
                    + "a plan's steps")
        }
        var query = FactsQuery.unsigned
        query.channel = FactsQuery.ChannelAt(channel, at: time)
        return try await services.store.facts(query).channelFiles[channel]
    }

    package func viewFile(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]? {
        try await services.showHeld()
        return try await services.view.read(path, maximumByteCount: maximumByteCount)
    }

    package func copyViewFile(_ path: ViewPath, to destination: URL) async throws -> Bool {
        try await services.showHeld()
        return try await services.view.copy(path, to: destination)
    }
}

extension AuthorizedRegistry {
    package func missingObjects(of manifest: [UInt8]) async throws -> Set<Digest> {
        let parsed: Manifest
        do { parsed = try Manifest(parsing: manifest) } catch { throw RegistryError(.invalid, "\(error)") }
        try identity.require(.publish, package: parsed.package)
        var query = FactsQuery.unsigned
        let objects = parsed.ownObjects
        let digest = Digest(of: manifest)
        query.removals = objects
        query.objects = objects
        query.manifests = [digest]
        let facts = try await services.store.facts(query)
        let content = services.content
        // Publishing a version again mends what was lost of it.
        guard facts.manifests[digest] == nil else {
            return try await content.missing(among: objects).union(facts.objectsToRemove)
        }
        let believed = content.believed(among: objects.filter { !facts.missingObjects.contains($0.digest) })
        let unlikely = content.unlikely(among: objects.filter { facts.missingObjects.contains($0.digest) })
        let asked = objects.filter { !believed.contains($0.digest) && !unlikely.contains($0.digest) }
        return try await content.missing(among: asked).union(unlikely).union(facts.objectsToRemove)
    }

    package func upload(archive: URL) async throws -> Digest {
        // It may take minutes, and what was published before is not to wait for it.
        try await services.showHeld()
        let archive = try await services.content.open(archive: archive)
        try identity.require(.publish, package: archive.sealed.manifest.package)
        let upload = UploadedPackage(archive.sealed)
        let objects = archive.sealed.manifest.ownObjects
        for _ in 1...Self.uploadTries {
            let known = try await reserve(objects, for: upload)
            try await archive.storeObjects(recorded: known)
            do {
                try await services.record(UploadedPackage(archive.sealed, known: known), as: identity)
                return archive.sealed.digest
            } catch is RemovedObjects {}
        }
        throw RegistryError(.busy, "files that the package needs are being removed: try again")
    }

    private static let uploadTries = 5

    /// Refuses an upload before its objects are stored.
    /// - Returns: those that are recorded already.
    private func reserve(_ objects: [Object], for upload: UploadedPackage) async throws -> [Object] {
        var query = upload.query
        query.objects = objects
        query.removals = objects
        let facts = try await services.store.facts(query)
        try upload.check(facts)
        if !facts.objectsToRemove.isEmpty { try await services.record(UploadReservation(objects), as: identity) }
        return objects.filter { !facts.missingObjects.contains($0.digest) }
    }

    package func publish(
        manifest digest: Digest, role: [UInt8], note: VersionNote
    ) async throws -> PublishOutcome {
        var query = FactsQuery.unsigned
        query.manifests = [digest]
        let facts = try await services.store.facts(query)
        guard let sealed = try facts.sealedManifest(digest) else {
            throw RegistryError.notUploaded(digest)
        }
        try identity.require(.publish, package: sealed.manifest.package)
        let outcome = try await commit(signed: VersionPublication(sealed, role: role, note: note))
        if outcome == .published { try await services.downloads.buildQuickDownload(ofManifest: digest) }
        return outcome
    }

    package func provenance(of version: VersionName) async throws -> [UInt8]? {
        var query = FactsQuery.unsigned
        query.provenance = version
        return try await services.store.facts(query).provenance
    }

    package func withdraw(
        _ version: SemanticVersion, of package: PackageID, reason: String, role: [UInt8], consent: OfferConsent
    ) async throws {
        try identity.require(.publish, package: package)
        try await commit(
            signed: VersionWithdrawal(version, of: package, reason: reason, role: role, consent: consent))
    }

    /// Commits metadata that somebody signed on top of what the view shows. If another version came first, the view has it before the
    /// conflict is told: whoever reads again must find it, even if its process is slow or was killed before it showed it.
    @discardableResult
    private func commit<Change: RegistryChange>(signed change: Change) async throws -> Change.Outcome {
        do {
            return try await services.commit(change, as: identity)
        } catch let error as RegistryError where error.kind == .conflict {
            // The conflict is the answer, whatever becomes of the view.
            _ = try? await services.showIfWhole()
            throw error
        }
    }
}

extension AuthorizedRegistry {
    package func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName
    ) async throws -> ChannelOutcome {
        try identity.require(.release, package: package, channel: channel)
        return try await services.commit(
            ChannelRelease(change, of: package, on: channel, randomBits: .random(in: .min ... .max)), as: identity)
    }

    package func release(_ set: ReleaseSet, on channel: ChannelName) async throws -> ReleaseSetOutcome {
        for package in set.versions.keys.sorted() {
            try identity.require(.release, package: package, channel: channel)
        }
        return try await services.commit(
            ReleaseSetOffer(set, on: channel, randomBits: .random(in: .min ... .max)), as: identity)
    }

    package func change(_ setting: ChannelSetting, on channel: ChannelName) async throws -> SettingOutcome {
        if case .gate(let package, _) = setting {
            try identity.require(.release, package: package, channel: channel)
        } else {
            try identity.requireAllPackages(.release, channel: channel)
        }
        return try await services.commit(ChannelSettingChange(setting, on: channel), as: identity)
    }
}

extension AuthorizedRegistry {
    package func submit(metadata bytes: [UInt8], role: String) async throws {
        if let package = try SubmittedRole.package(of: role) {
            try identity.require(.publish, package: package)
            try await commit(signed: RoleSubmission(bytes, of: package))
        } else {
            try identity.require(.admin)
            if role == TopLevelRole.root.rawValue {
                try await commit(signed: RootSubmission(bytes))
            } else {
                try await commit(signed: TargetsSubmission(bytes))
            }
        }
    }
}

extension AuthorizedRegistry {
    package func createToken(_ request: TokenRequest) async throws -> CreatedToken {
        try identity.require(.admin)
        var generator = SystemRandomNumberGenerator()
        return try await services.record(
            TokenCreation(request, secret: TokenSecret(generator: &generator)), as: identity)
    }

    package func createTrust(_ request: TrustRequest) async throws -> TokenRecord {
        try identity.require(.admin)
        var generator = SystemRandomNumberGenerator()
        return try await services.record(
            TrustCreation(request, secret: TokenSecret(generator: &generator)), as: identity)
    }

    package func tokens() async throws -> [TokenRecord] {
        try identity.require(.admin)
        var query = FactsQuery.unsigned
        query.tokens = .all
        return try await services.store.facts(query).tokens.map(\.record)
    }

    package func revokeToken(id: String) async throws -> Bool {
        try identity.require(.admin)
        return try await services.record(TokenRevocation(id: id), as: identity)
    }

    package func auditLog(_ wanted: AuditQuery) async throws -> [AuditEntry] {
        try identity.require(.admin)
        var query = FactsQuery.unsigned
        query.audit = wanted
        return try await services.store.facts(query).audit
    }
}
