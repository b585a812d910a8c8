import PackFormat
import PackPatch
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL

/// Reads what is known of the patches that could be made, inside one transaction.
struct PatchCandidates {
    let db: Database

    func all(of packages: [PackageID], devices: PatchPairs.Devices) throws -> [PatchPlanRule.Candidate] {
        let (table, names) = (DerivedTable(db: db), try VersionTable(db: db).names())
        let (pruned, fullSizes) = (try table.prunedManifests(), try table.fullSizes())
        var seen: Set<[Digest]> = []
        return try packages.flatMap { package in
            var manifests: [Digest: Manifest] = [:]
            return try PatchPairs(db: db).all(of: package, devices: devices).compactMap { pair in
                guard !pruned.contains(pair.base), !pruned.contains(pair.target), let base = names[pair.base],
                    let target = names[pair.target], seen.insert([pair.base, pair.target]).inserted
                else { return nil }
                let plan = PatchPlan(
                    from: try manifest(pair.base, &manifests), to: try manifest(pair.target, &manifests))
                let patch = DerivedFile(.patch, of: pair.target, from: pair.base)
                let state: PatchPlanRule.State =
                    if let size = try table.size(of: patch) {
                        .made(byteCount: size)
                    } else if try table.isRecorded(patch) {
                        .worthless
                    } else {
                        .open
                    }
                return PatchPlanRule.Candidate(
                    base: PatchEnd(name: base, manifest: pair.base),
                    target: PatchEnd(name: target, manifest: pair.target),
                    devices: pair.devices, lostByteCount: plan.lostByteCount, newByteCount: plan.newByteCount,
                    // Before its download is made: what it has at most.
                    fullByteCount: fullSizes[pair.target] ?? manifests[pair.target].map { Self.size($0) } ?? 0,
                    state: state)
            }
        }
    }

    private static func size(_ manifest: Manifest) -> Int { manifest.ownObjects.reduce(0) { $0 + $1.size } }

    private func manifest(_ digest: Digest, _ known: inout [Digest: Manifest]) throws -> Manifest {
        if let manifest = known[digest] { return manifest }
        guard let manifest = try VersionTable(db: db).manifest(digest) else {
            throw RegistryError(.unusable, "the manifest \(digest) is not in the database: restore it from a backup")
        }
        known[digest] = manifest
        return manifest
    }
}
