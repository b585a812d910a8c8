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
        var candidates: [PatchPlanRule.Candidate] = []
        for package in packages {
            var manifests: [Digest: Manifest] = [:]
            for pair in try PatchPairs(db: db).all(of: package, devices: devices) {
                guard !pruned.contains(pair.base), !pruned.contains(pair.target), let base = names[pair.base],
                    let target = names[pair.target], seen.insert([pair.base, pair.target]).inserted
                else { continue }
                let new = try manifest(pair.target, &manifests)
                let plan = PatchPlan(from: try manifest(pair.base, &manifests), to: new)
                // Before its download is made: what it has at most.
                let full = fullSizes[pair.target] ?? new.ownObjects.reduce(0) { $0 + $1.size }
                candidates.append(
                    PatchPlanRule.Candidate(
                        base: PatchEnd(name: base, manifest: pair.base),
                        target: PatchEnd(name: target, manifest: pair.target), devices: pair.devices,
                        lostByteCount: plan.lostByteCount, newByteCount: plan.newByteCount, fullByteCount: full,
                        state: try state(of: DerivedFile(.patch, of: pair.target, from: pair.base))))
            }
        }
        return candidates
    }

    private func state(of patch: DerivedFile) throws -> PatchPlanRule.State {
        let table = DerivedTable(db: db)
        if let size = try table.size(of: patch) { return .made(byteCount: size) }
        return try table.isRecorded(patch) ? .worthless : .open
    }

    private func manifest(_ digest: Digest, _ known: inout [Digest: Manifest]) throws -> Manifest {
        if let manifest = known[digest] { return manifest }
        guard let manifest = try VersionTable(db: db).manifest(digest) else {
            throw RegistryError(.unusable, "the manifest \(digest) is not in the database: restore it from a backup")
        }
        known[digest] = manifest
        return manifest
    }
}
