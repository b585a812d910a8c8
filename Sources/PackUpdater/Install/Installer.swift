import PackFormat
import PackPatch
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// Fetches and verifies content for a store: manifests, objects, site trees. It does not decide which version to
/// install. It runs under the update lock, for several packages at once.
struct Installer: Sendable {
    /// A version that is here.
    typealias Base = (id: VersionID, bytes: [UInt8])

    let store: DeviceStore
    let transport: any UpdateTransport
    let targets: any SignedTargets
    let journal: Journal
    /// Two packages may lack the same object, or pin the same bundle.
    var turns = DownloadTurns()
    /// Those who want to know how far it is.
    var broadcast = UpdateBroadcast()
    /// What was read and found right since this installer was made.
    let verified = VerifiedObjects()
    let transfers = TransferCounter()

    var objects: ObjectStore { ObjectStore(layout: store.layout, verified: verified) }
    var layout: StoreLayout { store.layout }

    /// The manifest of a version, as it is signed: by an update file, which brings its objects as well, as a patch of one
    /// that is here, else whole.
    /// - Parameters:
    ///   - expected: the digest that the channel, or the package that pins a bundle, names.
    ///   - bases: manifests of versions that are here.
    ///   - admits: whether this app can run what requires these versions of it; if not, no object is fetched.
    func manifest(
        of package: PackageID, _ version: SemanticVersion, expected: Digest, bases: [Base],
        admits: (VersionRange) -> Bool = { _ in true }
    ) async throws -> VerifiedManifest {
        let target = ViewLayout.manifestTarget(package, version)
        guard let signed = try await targets.file(target) else {
            throw UpdateError.refused(package, version, reason: "its publisher does not list it, or withdrew it")
        }
        guard signed.digest == expected else {
            throw UpdateError.refused(
                package, version,
                reason: "its publisher signed the manifest \(signed.digest) and \(expected) is offered")
        }
        guard signed.size <= Manifest.maximumByteCount else {
            throw UpdateError.refused(
                package, version, reason: "its manifest has \(signed.size) bytes: \(Manifest.maximumByteCount) are read"
            )
        }
        var bytes: [UInt8]?
        if let installed = try? store.manifest(of: package, VersionID(version: version, manifest: expected)) {
            bytes = installed.bytes
        } else if let arriving = try? Durable.readSound(
            layout.arriving(package, version), maximumByteCount: signed.size), Digest(of: arriving) == signed.digest
        {
            bytes = arriving
        }
        for base in bases.prefix(1) where bytes == nil {
            bytes = try await manifestByUpdateFile(package, version, signed: signed, base: base, admits: admits)
            if bytes == nil { bytes = await patchedManifest(package, version, signed: signed, base: base) }
        }
        let verified: [UInt8]
        if let bytes {
            verified = bytes
        } else {
            verified = try await targets.target(target, maximumByteCount: Manifest.maximumByteCount)
            transfers.add(verified.count, for: package)
        }
        return try VerifiedManifest(package: package, version: version, bytes: verified, digest: signed.digest)
    }

    private func patchedManifest(
        _ package: PackageID, _ version: SemanticVersion, signed: SignedFile, base: Base
    ) async -> [UInt8]? {
        let path = ViewPath.manifestPatch(from: base.id.manifest, to: signed.digest).description
        // A patch that is not smaller than the manifest is of no use.
        guard
            case .bytes(let patch, _)? = try? await transport.read(
                path, maximumByteCount: max(signed.size, 1024), validator: nil)
        else { return nil }
        transfers.add(patch.count, for: package)
        do {
            return try ManifestPatch.apply(
                patch, base: base.bytes, expecting: signed.digest, maximumByteCount: signed.size)
        } catch {
            journal.note(
                .fellBack, package, version, "the manifest's patch was refused, the whole is fetched: \(error)")
            return nil
        }
    }

    /// Reads the objects of a version that are here already, whoever brought them: what is damaged is not carried on.
    func dropDamaged(of verified: VerifiedManifest) throws {
        let manifest = verified.manifest
        let damaged = try objects.dropDamaged(
            among: Set(manifest.files.values.map { Object(digest: $0.digest, size: $0.size) }))
        guard let first = damaged.first else { return }
        journal.note(
            .fellBack, manifest.package, manifest.version,
            "\(damaged.count) files that were here are damaged and are fetched again, such as object \(first.digest)")
    }

    /// Brings every own object of a version into the store, by the cheapest way that works.
    func fetchObjects(of verified: VerifiedManifest, bases: [VersionID]) async throws {
        let meter = DownloadMeter(verified.manifest.package, verified.manifest.version, broadcast)
        try await DownloadMeter.$current.withValue(meter) {
            try await fetchCounted(of: verified, bases: bases)
        }
    }

    private func fetchCounted(of verified: VerifiedManifest, bases: [VersionID]) async throws {
        let manifest = verified.manifest
        let own = manifest.ownObjects
        let missing = objects.missing(among: own)
        let plan = DownloadPlan(own: own, missing: missing, bases: bases.map(\.manifest))
        try requireSpace(for: missing)
        var lastError: (any Error)?
        for step in plan.steps {
            do {
                let name: String
                let way: UpdateReport.Transfer.Way
                switch step {
                case .patch(let digest):
                    guard let base = bases.first(where: { $0.manifest == digest }),
                        let found = try? store.manifest(of: manifest.package, base)
                    else { continue }
                    (name, way) = ("the patch from \(base)", .patch)
                    guard try await apply(base: found.manifest, baseDigest: digest, verified) else {
                        journal.note(
                            .fellBack, manifest.package, manifest.version, "the registry does not have \(name)")
                        continue
                    }
                case .full:
                    (name, way) = ("the full download", .full)
                    guard try await apply(base: nil, baseDigest: nil, verified) else {
                        journal.note(
                            .fellBack, manifest.package, manifest.version, "the registry does not have \(name)")
                        continue
                    }
                case .objects:
                    (name, way) = ("\(missing.count) single objects", .objects)
                    try await fetchSingly(missing)
                    transfers.add(missing.reduce(0) { $0 + $1.size }, for: manifest.package)
                }
                let left = objects.missing(among: own)
                guard left.isEmpty else {
                    throw UpdateError.damagedContent(name, reason: "\(left.count) objects were not in it")
                }
                journal.note(.downloaded, manifest.package, manifest.version, "by \(name)")
                transfers.note(way, manifest)
                return
            } catch let error where Self.endsTheUpdate(error) {
                throw error
            } catch {
                lastError = error
                journal.note(.fellBack, manifest.package, manifest.version, "\(error)")
            }
        }
        if let lastError { throw lastError }
        if !objects.missing(among: own).isEmpty {
            throw UpdateError.notFound(address: ViewPath.patch(from: nil, to: verified.digest).description)
        }
    }

    /// A full disk, a cancelled task and a network that is gone do not get better by another way of download.
    static func endsTheUpdate(_ error: any Error) -> Bool {
        if error is CancellationError { return true }
        switch error as? UpdateError {
        case .diskIsFull, .unreachable, .overloaded: return true
        default: return false
        }
    }

    /// Makes the version's tree. Every object of its manifest must be in the store, its bundles' too.
    func installTree(_ verified: VerifiedManifest) throws {
        let manifest = verified.manifest
        broadcast.send(
            .progress(UpdateProgress(package: manifest.package, version: manifest.version, phase: .installing)))
        try dropDamaged(of: verified)
        let lacking = objects.missing(
            among: Set(manifest.files.values.map { Object(digest: $0.digest, size: $0.size) }).sorted {
                $0.digest < $1.digest
            })
        if let object = lacking.first {
            throw UpdateError.damagedContent(
                "\(manifest.package) \(manifest.version)", reason: "its object \(object.digest) is not here")
        }
        try objects.syncArrived()
        let tree = SiteTree(layout: layout, manifest: manifest, manifestBytes: verified.bytes)
        try tree.install {
            try store.state()[manifest.package].kept.contains { $0.id.version == manifest.version }
                || FileManager.default.fileExists(atPath: layout.pin(manifest.package, manifest.version).path)
                    && Durable.lock(ifFree: layout.pin(manifest.package, manifest.version), .exclusive) == nil
        }
    }

    /// - Returns: false if the registry has no such patch.
    private func apply(base: Manifest?, baseDigest: Digest?, _ verified: VerifiedManifest) async throws -> Bool {
        let path = ViewPath.patch(from: baseDigest, to: verified.digest).description
        let file = layout.partial(of: path)
        let patch = PatchWork(from: base, to: verified.manifest, objects: objects)
        return try await turns.during(Digest(of: Array(path.utf8))) {
            // Who had the turn before brought it.
            if objects.missing(among: verified.manifest.ownObjects).isEmpty { return true }
            guard try await transport.download(path, to: file, maximumByteCount: patch.maximumByteCount) else {
                return false
            }
            let batch = try ObjectBatch(objects)
            do {
                try unpack(file, of: verified.manifest.package) {
                    _ = try patch.apply(file, to: batch)
                    try batch.commit()
                }
            } catch {
                batch.discard()
                throw error
            }
            return true
        }
    }

    /// Applies a patch that was downloaded to `file`, which goes afterwards. It stays where the disk was full: the next try
    /// needs no download.
    func unpack(_ file: URL, of package: PackageID, _ apply: () throws -> Void) throws {
        DownloadMeter.current?.enter(.unpacking)
        transfers.add(Durable.size(of: file) ?? 0, for: package)
        do {
            do {
                try apply()
            } catch PatchError.system(_, let path, String(cString: strerror(ENOSPC))) {
                // The decoder's own file was too much for the disk, which says nothing about the patch.
                throw UpdateError.diskIsFull(path: path, needed: nil, available: nil)
            }
        } catch {
            // Continuing a damaged download would keep it damaged for ever.
            if !Self.endsTheUpdate(error) { try? DownloadFile.remove(file) }
            throw error
        }
        try DownloadFile.remove(file)
    }

    private func fetchSingly(_ missing: [Object]) async throws {
        let download = ObjectDownload(objects: objects, transport: transport, turns: turns)
        try await ConcurrentTasks.forEach(missing, atMost: 4) { try await download.fetch($0) }
    }

    /// Says before the download what would fail after it.
    func requireSpace(for missing: [Object]) throws(UpdateError) {
        let needed = missing.reduce(0) { $0 + $1.size } + (1 << 20)
        if let available = Durable.freeBytes(at: layout.folder), available < needed {
            throw .diskIsFull(path: layout.folder.path, needed: needed, available: available)
        }
    }
}
