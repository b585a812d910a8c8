import PackFormat

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

/// The objects whose content was read and verified in this run: streamed in, or reused and hashed.
final class VerifiedObjects: Sendable {
    private let digests = Locked<Set<Digest>>([])

    func insert(_ objects: [Object]) { digests.withLock { $0.formUnion(objects.map(\.digest)) } }

    func contains(_ digest: Digest) -> Bool { digests.withLock { $0.contains(digest) } }
}

/// Checks whether the objects of installed versions are unchanged. Objects whose file has the same identity as at
/// verification are not read again; the others are hashed.
///
/// These notes only save time, so they are never synced: without them everything is read once more.
struct ObjectCheck {
    let layout: StoreLayout
    private var objects: ObjectStore { ObjectStore(layout: layout) }

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Reads what changed of a version's objects, and notes what is sound now.
    /// - Parameters:
    ///   - look: what was looked at already.
    ///   - verified: objects that were read in this run already, while nobody else changed the store.
    /// - Returns: the objects that are not what was signed, with what is wrong.
    func faults(
        in manifest: Manifest, _ id: VersionID, after look: IdentityLook? = nil, verified: VerifiedObjects? = nil
    ) throws(UpdateError) -> [(object: Object, fault: String)] {
        let (record, unchanged) =
            look?.result() ?? ((try? IdentityRecord(in: layout, manifest.package, id)) ?? .empty, [])
        if record.isComplete, !unchanged.isEmpty, unchanged.allSatisfy(\.self) { return [] }
        var reader = try FileIdentity.Reader(layout)
        var faults: [(Object, String)] = []
        var changed: [Digest: FileIdentity] = [:]
        var seen: Set<Digest> = []
        for file in manifest.files.values {
            if !unchanged.isEmpty, let index = record.index(of: file.digest), unchanged[index] { continue }
            let identity = reader.identity(of: file.digest)
            if let identity, identity.size == file.size, record[file.digest] == identity { continue }
            guard seen.insert(file.digest).inserted else { continue }
            let object = Object(digest: file.digest, size: file.size)
            let isKnown = verified?.contains(file.digest) ?? false
            if !isKnown || identity?.size != Int64(file.size), let fault = objects.fault(of: object) {
                faults.append((object, fault))
            } else {
                changed[file.digest] = identity
            }
        }
        if !changed.isEmpty { note(changed, beside: record, manifest, id) }
        return faults
    }

    private func note(
        _ changed: [Digest: FileIdentity], beside record: IdentityRecord, _ manifest: Manifest, _ id: VersionID
    ) {
        var identities = changed
        for file in manifest.files.values where identities[file.digest] == nil {
            identities[file.digest] = record[file.digest]
        }
        let isComplete = identities.count == Set(manifest.files.values.map(\.digest)).count
        let file = layout.verified(manifest.package, id.version)
        // A store that cannot be written opens all the same.
        guard (try? Durable.makeFolder(layout.verifiedFolder)) != nil else { return }
        let temporary = file.appendingPathExtension("new-\(getpid())")
        guard let output = try? OpenFile(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600),
            (try? output.write(IdentityRecord(identities, of: id.manifest, isComplete: isComplete).written)) != nil,
            (try? Durable.rename(temporary, to: file)) != nil
        else {
            try? Durable.remove(temporary)
            return
        }
    }

    // MARK: Versions that have to be mended

    /// Records that a version has damaged files, for the next update.
    func markDamaged(_ package: PackageID, _ version: SemanticVersion) {
        guard (try? Durable.makeFolder(layout.verifiedFolder)) != nil else { return }
        _ = try? OpenFile(mark(package, version), flags: O_WRONLY | O_CREAT, mode: 0o600)
    }

    func isMarkedDamaged(_ package: PackageID, _ version: SemanticVersion) -> Bool {
        (try? Durable.exists(mark(package, version))) ?? false
    }

    /// Notes how the objects of the versions that stay are now, after trees and objects came and went: each link that is
    /// made or removed changes the identity of a file. Drops what belongs to no version. Under the update lock.
    func refresh(_ store: DeviceStore, verified: VerifiedObjects?) throws {
        var kept: Set<String> = []
        for (package, state) in try store.state().packages {
            for installed in state.kept {
                kept.insert(layout.verified(package, installed.id.version).lastPathComponent)
                guard let found = try store.manifest(of: package, installed.id) else { continue }
                if try faults(in: found.manifest, installed.id, verified: verified).isEmpty {
                    try Durable.remove(mark(package, installed.id.version))
                } else {
                    markDamaged(package, installed.id.version)
                }
            }
        }
        for name in try Durable.names(in: layout.verifiedFolder)
        where !kept.contains(name)
            && !(name.hasSuffix(Self.damaged) && kept.contains(String(name.dropLast(Self.damaged.count))))
        {
            try Durable.remove(layout.verifiedFolder.appending(path: name))
        }
    }

    private func mark(_ package: PackageID, _ version: SemanticVersion) -> URL {
        layout.verifiedFolder.appending(path: layout.verified(package, version).lastPathComponent + Self.damaged)
    }

    private static let damaged = ".damaged"
}
