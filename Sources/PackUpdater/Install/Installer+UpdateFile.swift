import PackFormat
import PackPatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Installer {
    /// Brings the manifest of a version and its new objects by an update file.
    ///
    /// The order of trust: the skeleton in it says what to decode, within the signed length of the manifest and what the base's
    /// size allows. What comes out lies in `downloads/`, unknown to everybody, until the manifest that follows from it has
    /// the digest that the publisher signed. Then all of it is what was signed, and moves in; else all of it is thrown away.
    /// - Returns: nil where there is no such file, or it is of no use; then the manifest is fetched by itself.
    func manifestByUpdateFile(
        _ package: PackageID, _ version: SemanticVersion, signed: SignedFile, base: Base,
        admits: (VersionRange) -> Bool
    ) async throws -> [UInt8]? {
        let path = ViewPath.updateFile(from: base.id.manifest, to: signed.digest).description
        guard
            case .bytes(let bytes, _)? = try? await transport.read(
                path, maximumByteCount: UpdateFile.maximumByteCount(manifest: signed.size), validator: nil)
        else { return nil }
        // Also where it turns out to be of no use.
        transfers.add(bytes.count, for: package)
        do {
            let file = try UpdateFile(parsing: bytes)
            let old = try Manifest(parsing: base.bytes)
            let skeleton = try ManifestSkeleton(
                file.skeleton, base: old, baseBytes: base.bytes,
                limits: ManifestSkeleton.Limits(manifestByteCount: signed.size, base: old))
            // The signed manifest has the last word, and says why.
            guard skeleton.requiredApp.map(admits) ?? true else { return nil }
            // So does the space: nothing has signed these sizes.
            guard (try? requireSpace(for: skeleton.plan.new)) != nil else { return nil }
            let batch = try ObjectBatch(objects)
            var names = skeleton.names
            let patch = ViewPath.patch(from: base.id.manifest, to: signed.digest).description
            do {
                let meter = DownloadMeter(package, version, broadcast)
                let isThere = try await DownloadMeter.$current.withValue(meter) {
                    try await bring(skeleton, file, patch, of: package, batch, &names)
                }
                guard isThere else {
                    batch.discard()
                    return nil
                }
                let manifest = skeleton.manifestBytes(new: batch.written, names: names)
                guard Digest(of: manifest) == signed.digest else {
                    throw PatchError.wrongDigest(expected: signed.digest)
                }
                try batch.commit()
                if !skeleton.plan.isEmpty {
                    journal.note(.downloaded, package, version, "by the patch from \(base.id)")
                    if let made = try? Manifest(parsing: manifest) { transfers.note(.patch, made) }
                }
                return manifest
            } catch {
                batch.discard()
                throw error
            }
        } catch let error where Self.endsTheUpdate(error) {
            throw error
        } catch {
            journal.note(
                .fellBack, package, version,
                "the update file was refused (\(error)); the manifest and the objects are fetched without it")
            return nil
        }
    }

    /// Decodes the new objects into `batch`.
    /// - Parameter names: Looks at each of them.
    /// - Returns: false where the registry has no patch.
    private func bring(
        _ skeleton: ManifestSkeleton, _ update: UpdateFile, _ path: String, of package: PackageID,
        _ batch: ObjectBatch, _ names: inout NameFinder
    ) async throws -> Bool {
        if skeleton.plan.isEmpty { return true }
        let work = PatchWork(skeleton, objects: objects)
        if !update.patch.isEmpty {
            names = try work.apply(update.patch, to: batch, names)
            return true
        }
        let file = layout.partial(of: path)
        return try await turns.during(Digest(of: Array(path.utf8))) {
            guard try await transport.download(path, to: file, maximumByteCount: work.maximumByteCount) else {
                return false
            }
            try unpack(file, of: package) { names = try work.apply(file, to: batch, names) }
            return true
        }
    }
}
