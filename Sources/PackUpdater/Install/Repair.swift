import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the whole store and repairs what is damaged, under the update lock.
struct Repair: Sendable {
    let store: DeviceStore
    let transport: any UpdateTransport
    let journal: Journal
    /// Needed only where a manifest is damaged: everything else is known by its digest. nil: there is no root.
    let targets: (any SignedTargets)?

    private var objects: ObjectStore { ObjectStore(layout: store.layout) }

    func run() async throws -> RepairReport {
        var repaired: [String] = []
        var left: [String] = []
        let manifests = try await manifests(&repaired, &left)
        var known: [Digest: Object] = [:]
        for verified in manifests {
            for file in verified.manifest.files.values {
                known[file.digest] = Object(digest: file.digest, size: file.size)
            }
        }
        var mended: Set<Digest> = []
        for object in known.values.sorted(by: { $0.digest < $1.digest }) {
            guard let fault = objects.fault(of: object) else { continue }
            do {
                let source = try await mend(object, manifests)
                mended.insert(object.digest)
                repaired.append("object \(object.digest): \(fault); \(source)")
            } catch {
                left.append("object \(object.digest): \(fault); \(error)")
            }
        }
        try objects.syncArrived()
        for verified in manifests {
            let manifest = verified.manifest
            let tree = SiteTree(layout: store.layout, manifest: manifest, manifestBytes: verified.bytes)
            let isTouched = manifest.files.values.contains { mended.contains($0.digest) }
            guard isTouched || !tree.isSound else { continue }
            guard objects.missing(among: manifest.files.values.map { Object(digest: $0.digest, size: $0.size) }).isEmpty
            else { continue }
            try tree.replace()
            repaired.append("the files of \(manifest.package) \(manifest.version): linked again")
        }
        return RepairReport(checkedObjects: known.count, repaired: repaired, left: left)
    }

    /// The manifests of every version that must stay, and of the bundles that they pin.
    private func manifests(_ repaired: inout [String], _ left: inout [String]) async throws -> [VerifiedManifest] {
        var found: [VerifiedManifest] = []
        var seen: Set<String> = []
        var queue: [(PackageID, VersionID)] = []
        for (package, state) in try store.state().packages.sorted(by: { $0.key < $1.key }) {
            queue += state.kept.map { (package, $0.id) }
        }
        while !queue.isEmpty {
            let (package, id) = queue.removeFirst()
            guard seen.insert("\(package)@\(id)").inserted else { continue }
            let wasThere = (try? store.manifest(of: package, id)) != nil
            do {
                let verified = try await manifest(of: package, id)
                found.append(verified)
                if !wasThere { repaired.append("the manifest of \(package) \(id): fetched again") }
                for (bundle, pin) in verified.manifest.shared.sorted(by: { $0.key < $1.key })
                where FileManager.default.fileExists(atPath: store.layout.tree(bundle, pin.version).path) {
                    queue.append((bundle, VersionID(version: pin.version, manifest: pin.manifest)))
                }
            } catch {
                left.append("the manifest of \(package) \(id): \(error)")
            }
        }
        return found
    }

    private func manifest(of package: PackageID, _ id: VersionID) async throws -> VerifiedManifest {
        if let found = try? store.manifest(of: package, id) { return VerifiedManifest(installed: found, id: id) }
        guard let targets else { throw UpdateError.noRoot }
        let installer = Installer(store: store, transport: transport, targets: targets, journal: journal)
        return try await installer.manifest(of: package, id.version, expected: id.manifest, bases: [])
    }

    /// Takes the object from a tree that still has it, else fetches it.
    private func mend(_ object: Object, _ manifests: [VerifiedManifest]) async throws -> String {
        for verified in manifests {
            let tree = store.layout.tree(verified.manifest.package, verified.manifest.version)
            for (path, file) in verified.manifest.files where file.digest == object.digest {
                let batch = try ObjectBatch(objects)
                do {
                    try batch.add(object, from: tree.appending(path: path.text))
                    try batch.commit()
                    return "taken from the files of \(verified.manifest.package) \(verified.manifest.version)"
                } catch {
                    batch.discard()
                }
            }
        }
        try await ObjectDownload(objects: objects, transport: transport, turns: DownloadTurns()).fetchAnew(object)
        return "fetched again"
    }
}
